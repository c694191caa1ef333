"""The claims about composition, noise laws and concentration."""
