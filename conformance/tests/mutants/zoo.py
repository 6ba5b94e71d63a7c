"""Every mutant of the zoo."""

from __future__ import annotations

from . import (
    zoo_concurrent,
    zoo_model_claims,
    zoo_model_more,
    zoo_model_settling,
    zoo_python,
    zoo_scripts_claims,
    zoo_scripts_settling,
)

__all__ = ["ZOO"]

ZOO = (
    *zoo_model_claims.MUTANTS,
    *zoo_model_settling.MUTANTS,
    *zoo_model_more.MUTANTS,
    *zoo_scripts_claims.MUTANTS,
    *zoo_scripts_settling.MUTANTS,
    *zoo_python.MUTANTS,
    *zoo_concurrent.MUTANTS,
)
