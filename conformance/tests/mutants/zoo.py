"""Every mutant of the zoo."""

from __future__ import annotations

from . import zoo_model_core, zoo_model_more

__all__ = ["ZOO"]

ZOO = (*zoo_model_core.MUTANTS, *zoo_model_more.MUTANTS)
