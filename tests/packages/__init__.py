"""The table of other people's packages: python -m tests.packages writes audits/PACKAGES.md."""
