"""An update that takes an array of ids, and fails on a single id."""


class TakesArrays:
    promise = "epsilon=log(3),adjacency=user-level,observed=state"

    def create(self, randomness):
        return [bool(bit) for bit in randomness.bernoulli(0.5, 4)]

    def update(self, state, ids, randomness):
        state[int(ids[0]) % 4] = bool(randomness.bernoulli(0.75, 1)[0])
        return state

    def release(self, state, randomness):
        return sum(state)
