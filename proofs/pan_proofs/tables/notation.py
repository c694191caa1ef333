"""The symbols that the claims of the tables family name, in LaTeX, and the works."""

NOTATION = (
    (r"$N$, $X_i$", "number of attributes, and one of them"),
    (r"$k$, $\mathrm{Pa}_i$", "degree: the largest number of parents of an attribute; the parents of $X_i$"),
    (r"$M$, $n_j$, $n$", "number of data holders; numbers of records of a holder, and of all"),
    (r"$d$, $p_i$, $p_{\min}$", "number of values of some attributes together, their probabilities, and the least one"),
    (r"$c_i$, $\tilde c_i$", "the count of a value in all tables, and the same with the noise of all holders"),
    (r"$\hat p_i$, $\tilde p_i$", r"frequencies $\frac{c_i}{n}$ and $\frac{\tilde c_i}{n}$"),
    (r"$H$, $\hat H$, $\tilde H$", "entropy of the probabilities, of the frequencies, and of the noisy frequencies"),
    (r"$\hat I(X; Y)$, $\Delta\hat I$", "mutual information of frequencies, in nats, and its sensitivity"),
    (r"$\sigma^2$", r"variance of $\log p$ of a random record: $\sum_i p_i \log^2 p_i - H^2$"),
    (r"$\varepsilon$, $\varepsilon_1$, $\varepsilon_2$", "budgets: of all, of the structure, and of the parameters"),
    (r"$b$, $\theta$", r"scale of the Laplace noise on a count; $\theta = \frac{Mb^2}{n^2}$"),
)

BIBLIOGRAPHY = {
    "PrivBayes": r"J.~Zhang, G.~Cormode, C.~M.~Procopiuc, D.~Srivastava, X.~Xiao. \textit{PrivBayes: Private Data "
    r"Release via Bayesian Networks}. ACM Transactions on Database Systems 42, 2017.",
    "Chow and Liu": r"C.~K.~Chow, C.~N.~Liu. \textit{Approximating Discrete Probability Distributions with Dependence "
    r"Trees}. IEEE Transactions on Information Theory 14, 1968.",
}
