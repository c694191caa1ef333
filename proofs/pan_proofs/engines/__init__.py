"""The engines that discharge obligations."""
