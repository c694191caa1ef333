"""One fit of a peer, run by the interpreter of its own environment: codes come on standard input, rows go to a file.

It imports nothing of this project.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
import warnings

import numpy as np
import pandas as pd


def dpmm(name, given):
    """MST or AIM of dpmm."""
    from dpmm import models
    from dpmm.models.aim import AIMGM
    from dpmm.models.mst import MSTGM

    assert models
    made = {"MST": MSTGM, "AIM": AIMGM}[name](
        epsilon=given["epsilon"],
        delta=given["delta"],
        domain=given["sizes"],
        random_state=np.random.RandomState(given["seed"]),
        n_jobs=1,
    )
    return made.fit, made.generate


def smartnoise(name, given):
    """MST or AIM of smartnoise-synth, with categories that are public."""
    from snsynth import Synthesizer
    from snsynth.transform import LabelTransformer
    from snsynth.transform.table import TableTransformer

    np.random.seed(given["seed"])
    made = Synthesizer.create(name.lower(), epsilon=given["epsilon"], delta=given["delta"])
    transformer = TableTransformer([LabelTransformer(nullable=False) for _ in given["sizes"]])
    most = max(given["sizes"].values())
    every = {one: np.arange(most) % size for one, size in given["sizes"].items()}
    transformer.fit(pd.DataFrame(every))
    return (lambda frame: made.fit(frame, transformer=transformer)), made.sample


LIBRARIES = {"dpmm": dpmm, "smartnoise-synth": smartnoise}


def main():
    warnings.filterwarnings("ignore")
    given = json.loads(sys.stdin.read())
    frame = pd.DataFrame(np.array(given["codes"]), columns=list(given["sizes"]))
    with contextlib.redirect_stdout(io.StringIO()):
        fit, generate = LIBRARIES[given["library"]](given["name"], given)
        began = time.process_time()
        fit(frame)
        seconds = time.process_time() - began
        rows = generate(given["rows"])
    np.save(given["out"], np.asarray(rows[list(given["sizes"])], dtype=np.int64))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
