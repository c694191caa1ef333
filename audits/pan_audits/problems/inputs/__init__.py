"""The inputs on which a promise is judged."""
