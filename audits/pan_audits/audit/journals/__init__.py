"""Results on disk, from which an interrupted run continues."""
