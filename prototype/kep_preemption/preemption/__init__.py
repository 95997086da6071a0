"""DefaultPreemption of kube-scheduler 1.34."""
