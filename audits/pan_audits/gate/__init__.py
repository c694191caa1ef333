"""All evidence about one promise, and its verdict."""
