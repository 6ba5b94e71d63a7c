"""Every mutant of the zoo."""

from __future__ import annotations

from . import zoo_concurrent, zoo_model_core, zoo_model_more, zoo_python, zoo_scripts

__all__ = ["ZOO"]

ZOO = (
    *zoo_model_core.MUTANTS,
    *zoo_model_more.MUTANTS,
    *zoo_scripts.MUTANTS,
    *zoo_python.MUTANTS,
    *zoo_concurrent.MUTANTS,
)
