"""One fit of a peer, run by the interpreter of its own environment: codes come on standard input, rows go to a file.

It imports nothing of this project.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd

SMALLER = {"rounds": 30, "max_model_size": 1}
"""For AIM. By default it begins with the noise of 240 rounds, and its models take up to 80 MB: a fit takes an hour."""


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
        **SMALLER | {"n_iters": 300} if name == "AIM" else {},
    )
    return made.fit, [made.generate]


def smartnoise(name, given):
    """MST or AIM of smartnoise-synth, with categories that are public."""
    from snsynth import Synthesizer
    from snsynth.transform import LabelTransformer
    from snsynth.transform.table import TableTransformer

    np.random.seed(given["seed"])
    more = SMALLER if name == "AIM" else {}
    made = Synthesizer.create(name.lower(), epsilon=given["epsilon"], delta=given["delta"], **more)
    transformer = TableTransformer([LabelTransformer(nullable=False) for _ in given["sizes"]])
    most = max(given["sizes"].values())
    every = {one: np.arange(most) % size for one, size in given["sizes"].items()}
    transformer.fit(pd.DataFrame(every))

    def independent_rows(count):
        # By default, mbi 1.1.0 gives all rows with the same parents their values in the order of the rows, in each
        # attribute. Two attributes with the same parent then depend on each other as strongly as they can.
        model = made.synthesizer
        made.synthesizer = SimpleNamespace(synthetic_data=lambda rows: model.synthetic_data(rows, method="sample"))
        try:
            return made.sample(count)
        finally:
            made.synthesizer = model

    return (lambda frame: made.fit(frame, transformer=transformer)), [independent_rows, made.sample]


LIBRARIES = {"dpmm": dpmm, "smartnoise-synth": smartnoise}


def main():
    warnings.filterwarnings("ignore")
    given = json.loads(sys.stdin.read())
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    frame = pd.DataFrame(np.array(given["codes"]), columns=list(given["sizes"]))
    with contextlib.redirect_stdout(io.StringIO()):
        fit, ways = LIBRARIES[given["library"]](given["name"], given)
        began = time.process_time()
        # The kernel ends this process when the fit has used its time.
        resource.setrlimit(resource.RLIMIT_CPU, (int(began + given["seconds"]) + 1, most))
        fit(frame)
        seconds = time.process_time() - began
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        samples = [np.asarray(rows(given["rows"])[list(given["sizes"])], dtype=np.int16) for rows in ways]
    np.save(given["out"], np.array(samples))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
