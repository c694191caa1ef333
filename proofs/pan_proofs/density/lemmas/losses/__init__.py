"""The privacy losses of the published mechanisms."""
