"""The version of the distribution."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("panproof")
except PackageNotFoundError:  # the packages are on the path, but not installed
    __version__ = "0.1.0"
