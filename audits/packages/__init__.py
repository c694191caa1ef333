"""The table of other people's packages: python -m packages writes audits/PACKAGES.md."""
