"""The state of a monitor as JSON, and as a file that several jobs update."""
