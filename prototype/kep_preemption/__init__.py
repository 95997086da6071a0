"""kube-scheduler preemption in Python: DefaultPreemption of 1.34 and the fast path of KEP-4389."""

__version__ = "0.1.0"
