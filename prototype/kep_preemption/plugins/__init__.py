"""The default filter plugins that decide about a pod and a node."""
