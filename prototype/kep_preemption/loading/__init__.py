"""What turns Kubernetes objects, as kubectl prints them, into a `ClusterState`."""
