"""Code that a document may name: whoever imports or calls it is noticed."""

IMPORTED = True


class Canary:
    called = 0

    def __init__(self, **parameters):
        type(self).called += 1
