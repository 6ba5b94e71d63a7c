"""The suite as pytest tests; import it with `from echomq_conformance.suite import *`."""

from .test_conformance import echomq_report, test_clause, test_nothing_failed

__all__ = ["echomq_report", "test_clause", "test_nothing_failed"]
