"""The claims about composition, noise distributions and concentration."""
