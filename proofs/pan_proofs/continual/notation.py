"""The symbols and the works that the claims of the continual family name, in LaTeX."""

NOTATION = (
    ("$T$, $t$", "number of entries of the stream, and a time, in entries"),
    (r"$u$, $f_u(x)$", r"an element, and its existence vector: $f_u(x)[t]$ is $1$ while the element is present"),
    (r"$\tilde f_u$", "the truncated existence vector of Algorithm 1"),
    ("$w$", "maximum flippancy of a stream, or a bound on it; the flippancy counts adjacent entries that differ"),
    (
        "$x_i$, $y_i$; $c_i$, $d_i$",
        "entries of the existence vectors of one element in a stream and in its neighbour; counts of this element",
    ),
    ("$L$", r"$\log_2 T$, or the number of levels of a tree below its root"),
    (
        r"$\rho$; $\varepsilon$, $\delta$",
        "budget of zCDP; budget in nats of approximate privacy, and what it leaves out",
    ),
    (r"$D_\alpha$", r"Rényi divergence of order $\alpha$ between the distributions of the outputs for two neighbours"),
    (
        "$R$, $r_k$, $S$",
        r"for the counters of our own: a lower triangular Toeplitz matrix, its entries, and $\sum_k r_k^2$",
    ),
    (r"$\alpha$", "error of a counter, or the order of a divergence"),
)

BIBLIOGRAPHY = {
    "turnstile": r"P.~Jain, I.~Kalemaj, S.~Raskhodnikova, S.~Sivakumar, A.~Smith. \textit{Counting Distinct Elements "
    r"in the Turnstile Model with Differential Privacy under Continual Observation}. Advances in Neural Information "
    r"Processing Systems, 2023.",
    "Dwork, Naor, Pitassi and Rothblum": r"C.~Dwork, M.~Naor, T.~Pitassi, G.~N.~Rothblum. \textit{Differential Privacy "
    r"under Continual Observation}. Symposium on Theory of Computing, 2010.",
}
