"""The judged code: how it is found, isolated in its own process, and run."""
