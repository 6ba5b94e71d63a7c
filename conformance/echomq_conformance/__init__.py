"""The conformance kit: proves a backend right, or names the clause that it breaks.

Write one function that answers a `Target`; then `python -m echomq_conformance run --target
package.module:function`, or `pytest --pyargs echomq_conformance.suite --echomq-target NAME`.
"""

from .report import Report, Verdict
from .run import run_conformance
from .target import PROFILES, Clock, Target, TargetError

__all__ = ["PROFILES", "Clock", "Report", "Target", "TargetError", "Verdict", "run_conformance"]
