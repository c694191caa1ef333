"""Packages of the registry that speak of differential privacy and have no row, and why."""

LOOKED_AT = {
    "the archive holds no mechanism, or does not install with Python 3.11": (
        "mic-dp 0.3",
        "sue-ldp 0.1",
        "differential-privacy 0.1.0",
        "dpate 0.0.1",
        "dpsdv 0.0.3",
    ),
    "they compute losses, and draw no noise": (
        "dp-accounting 0.6.0",
        "random-allocation 1.0.5",
        "autodp 0.2.3.1",
        "prv-accountant 0.2.0",
        "riskcal 1.5.1",
        "gdpnum 0.1.2",
        "fourier-accountant 0.12.11",
        "opake-accounting 0.16.1",
    ),
    "they estimate from noisy counts that the user brings": (
        "mbi 2.0.0",
        "tmlt-private-pgm 0.1.1a2",
    ),
    "its modules import `src.localPrivacy_martaajonees`, which is not installed; privadjust is its successor": (
        "localprivacy-martaajonees 1.0.2",
    ),
    "the first one is written in Python 2; `randresponse` of the second one returns nothing": (
        "dp4gp 1.01",
        "diffpriv 1.0.3",
    ),
    "it makes matrices of probabilities, and no release": ("data-privacy 0.1.9",),
    "a query takes more than five lines; smartnoise-sql stands beside smartnoise-synth": (
        "pipeline-dp 0.3.1",
        "tmlt-analytics 0.21.0",
        "smartnoise-sql 1.0.10",
        "privjail 0.1.2",
        "dp-epidemiology 0.1.1",
    ),
    "training of networks, whose runs take seconds each": (
        "opacus 1.6.0",
        "dp-transformers 1.0.0",
        "dp-lora 0.1.0",
        "deepee 0.1.9",
        "opake 0.16.1",
        "dptrainer 0.1.2",
        "nhssynth 0.11.0",
        "dp-cgans 0.3.0",
        "ctab-xtra-dp 3.7.0",
        "gretel-synthetics 0.22.20",
        "synthpriv 0.2.1",
    ),
    "they need a language model or embeddings that no package holds": (
        "dp-diffractor 0.2.1",
        "mldp-text 0.1.2",
        "pypantera 1.0.2",
        "dpmlm 1.3.0",
        "dpst 0.3.9",
        "privfill 0.1.0",
        "invink 0.1.0",
        "dp-fusion-lib 0.1.0",
    ),
    "clients of a server, interfaces, or comparisons of other packages": (
        "antigranular 1.0.2",
        "dp-serial 0.1.5",
        "dp-wizard 0.10.0",
        "cleaninsights 0.1",
        "dplab 0.0.7",
        "benchmarkdpfair 0.2.7",
        "smartnoise-eval 0.3.1",
        "pystatdp 0.1.3.1",
    ),
}
"""By reason: the packages at the versions that were looked at."""
