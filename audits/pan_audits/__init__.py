"""The exact check, the audit harness and the gate: is a privacy promise kept?

>>> from pan_audits import CheckSettings, SmallInstances, run_check
>>> from pan_estimators import parse_epsilon
>>> published = SmallInstances("optimal-bernoulli", {"epsilon": parse_epsilon("log(3/2)")})
>>> run_check(published, CheckSettings(users=2, length=2)).loss.closed_form
'log(2379/320)'
>>> from pan_audits import Settings, find_mechanism, run_gate
>>> mechanism = find_mechanism("optimal-bernoulli", parameters={"epsilon": 0.1})
>>> report = run_gate(mechanism, Settings(seed=1))  # doctest: +SKIP
>>> report.verdict  # doctest: +SKIP
<Verdict.REFUTED: 'REFUTED'>
"""

from pan_promises.lazily import exports_of

__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
