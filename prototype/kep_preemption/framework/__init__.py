"""The scheduling framework's statuses, interfaces and runtime."""
