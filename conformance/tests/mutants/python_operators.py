"""Small changes to the model's Python: the operators of cosmic-ray, and statements dropped.

cosmic-ray is used for its operators alone: its runner changes files in place, which here would
change the oracle, too. Changes of annotations are left out: nothing reads those.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from .lua_operators import Change

__all__ = ["python_changes"]


def python_changes(file: str, text: str) -> Iterator[Change]:
    """Every change of one file that changes what it does."""
    right = _meaning(text)
    seen = {right}
    for operator, new in (*_by_cosmic_ray(text), *_dropped(text)):
        meaning = _meaning(new)
        if meaning not in seen:
            seen.add(meaning)
            line, before, after = _difference(text, new)
            yield Change(file, operator, line, before, after, new)


def _meaning(text: str) -> str:
    """The program without its annotations; equal texts do the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in [*node.args.args, *node.args.kwonlyargs]:
                argument.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def _by_cosmic_ray(text: str) -> Iterator[tuple[str, str]]:
    trees: Any = import_module("cosmic_ray.ast")
    plugins: Any = import_module("cosmic_ray.plugins")
    mutate_code: Any = import_module("cosmic_ray.mutating").mutate_code

    nodes = list(trees.ast_nodes(trees.get_ast(text)))
    for name in sorted(plugins.operator_names()):
        kind: Any = plugins.get_operator(name)
        try:
            operator = kind()
        except TypeError:  # it needs names to put in: nothing to say here
            continue
        places = sum(1 for node in nodes for _ in operator.mutation_positions(node))
        for place in range(places):
            new = mutate_code(text, operator, place)
            if new is not None:
                yield name.removeprefix("core/"), new


def _dropped(text: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    kinds = (ast.Assign, ast.AugAssign, ast.Delete, ast.Expr, ast.Continue, ast.Break)
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if not isinstance(node, kinds) or isinstance(
                getattr(node, "value", None), ast.Constant
            ):
                continue
            start, end = node.lineno - 1, node.end_lineno or node.lineno
            blank = " " * node.col_offset + "pass"
            yield "dropped", "\n".join([*lines[:start], blank, *lines[end:]])


def _difference(old: str, new: str) -> tuple[int, str, str]:
    """The first line that differs, before and after."""
    pairs = zip(old.split("\n"), [*new.split("\n"), ""], strict=False)
    for number, (before, after) in enumerate(pairs, 1):
        if before != after:
            return number, before.strip(), after.strip()
    return 0, "", ""
