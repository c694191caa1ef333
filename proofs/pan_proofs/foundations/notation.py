"""The symbols of the general claims about privacy and probability, in LaTeX."""

NOTATION = (
    (r"$\mathcal{A}$, $O$", "a randomized algorithm, and a set of its outputs"),
    ("$D$, $D'$", "adjacent datasets"),
    (r"$\varepsilon$, $x$", r"budget in nats, and $e^{\varepsilon}$"),
    ("$P$, $H$, $P'$, $Q$", "probabilities of one event for the datasets of a chain, from the first to the last"),
    (r"$\mu$, $b$", "mean and scale of a Laplace distribution"),
    (r"$m$, $\alpha$", "number of variables of a sum, and a deviation of the sum"),
)
