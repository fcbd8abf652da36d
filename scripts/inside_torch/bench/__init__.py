"""The benchmark of the machine itself."""
