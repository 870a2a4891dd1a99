"""Found here, and not in the folder of the test plug-in."""
