"""The ledger: every claim with its judgement, derived anew by engines and printed for readers."""
