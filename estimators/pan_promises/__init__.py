"""The vocabulary of privacy promises and of the problems that they are about. It imports no other package here."""
