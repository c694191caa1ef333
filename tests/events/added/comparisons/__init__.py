"""One file, as it would be added to the folder of comparisons."""
