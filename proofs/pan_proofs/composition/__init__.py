"""General mechanisms: post-processing, composition, groups, scores."""
