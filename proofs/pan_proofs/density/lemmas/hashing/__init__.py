"""The hash of distinct sampling, its levels, and Algorithm 3 enumerated."""
