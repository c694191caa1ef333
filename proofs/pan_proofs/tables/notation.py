"""The symbols and the work that the claims of the tables family name, in LaTeX."""

NOTATION = (
    ("$n$", "number of records"),
    (
        "$d$; $i$, $j$",
        "number of symbols, or values, of an entry; two of them, which differ unless it is said otherwise",
    ),
    (r"$p_i$, $p$; $p_j$, $q$", "probability of the symbol $i$; that of another symbol $j$"),
    ("$c_i$", "number of records with the symbol $i$"),
    (r"$\tilde c_i$, $\tilde p_i$", r"count with the noise of all holders, and the frequency $\tilde c_i/n$"),
    (r"$M$, $\eta$, $b$", "number of holders, noise of a holder, and the scale of this noise"),
    (r"$H$, $\hat H$; $\hat I$", "entropy, and its value for the frequencies; empirical mutual information"),
    (r"$\delta(k)$", r"$k \log k - (k-1) \log(k-1)$"),
    ("$s$, $u$, $v$", r"$\frac1n$, the relative deviation of a frequency, and $p(1-p)$"),
)

BIBLIOGRAPHY = {
    "networks": r"V.~Digalakis~Jr. \textit{Data Analytics with Differential Privacy}. Diploma thesis, Technical "
    r"University of Crete, 2018, chapter 3.",
}
