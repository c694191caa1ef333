"""The symbols that the claims of the tables family share, in LaTeX, and the works."""

NOTATION = (
    (r"$N$, $X_i$", "number of attributes, and one of them"),
    (r"$k$, $\mathrm{Pa}_i$", "degree: the largest number of parents of an attribute; the parents of $X_i$"),
    (r"$M$, $n_j$, $n$", "number of data holders; numbers of records of a holder, and of all"),
    (
        "$d$; $i$, $j$",
        "number of symbols, or values, of an entry; two of them, which differ unless it is said otherwise",
    ),
    (
        r"$p_i$, $p$; $p_j$, $q$; $p_{\min}$",
        "probability of the symbol $i$; that of another symbol $j$; the least probability",
    ),
    (r"$c_i$, $\hat p_i$", r"number of records with the symbol $i$, and its frequency $\frac{c_i}{n}$"),
    (r"$\tilde c_i$, $\tilde p_i$", r"count with the noise of all holders, and the frequency $\frac{\tilde c_i}{n}$"),
    (r"$\eta$, $b$, $\theta$", r"noise of a holder, the scale of this noise, and $\theta = \frac{Mb^2}{n^2}$"),
    (r"$H$, $\hat H$, $\tilde H$", "entropy of the probabilities, of the frequencies, and of the noisy frequencies"),
    (r"$\hat I(X; Y)$, $\Delta\hat I$", "mutual information of frequencies, in nats, and its sensitivity"),
    (r"$\sigma^2$", r"variance of $\log p$ of a random record: $\sum_i p_i \log^2 p_i - H^2$"),
    (r"$\varepsilon$, $\varepsilon_1$, $\varepsilon_2$", "budgets: of all, of the structure, and of the parameters"),
    (r"$\delta(k)$", r"$k \log k - (k-1) \log(k-1)$"),
    ("$s$, $u$, $v$", r"$\frac1n$, the relative deviation of a frequency, and $p(1-p)$"),
)

BIBLIOGRAPHY = {
    "networks": r"V.~Digalakis~Jr. \textit{Data Analytics with Differential Privacy}. Diploma thesis, Technical "
    r"University of Crete, 2018, chapter 3.",
    "PrivBayes": r"J.~Zhang, G.~Cormode, C.~M.~Procopiuc, D.~Srivastava, X.~Xiao. \textit{PrivBayes: Private Data "
    r"Release via Bayesian Networks}. ACM Transactions on Database Systems 42, 2017.",
    "Chow and Liu": r"C.~K.~Chow, C.~N.~Liu. \textit{Approximating Discrete Probability Distributions with Dependence "
    r"Trees}. IEEE Transactions on Information Theory 14, 1968.",
}
