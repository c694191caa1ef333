"""The audit: search for an event on one sample, bound its loss on a fresh one."""
