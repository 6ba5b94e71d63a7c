"""Mutants as targets: the kit judges each as it judges any backend.

The oracle stays true: a model mutant is a copy of the memory package under a name of its own.
Scripts and functions are changed in this process, so each mutant is judged in a process of its own.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import echomq_lua
import echomq_memory
from echomq_conformance.target import Clock, Target
from echomq_conformance.targets import memory, valkey

import echomq_core
from echomq_core import Backend

from .mutant import EditError, Mutant, edited

__all__ = ["bred", "on_a_server", "source_of", "with_functions", "with_model", "with_scripts"]

CLAIMS = frozenset({"core", "control", "bulk", "wake"})

_MODEL = Path(echomq_memory.__file__).parent


def source_of(where: str, file: str) -> str:
    """The true text of a file that a mutant may edit."""
    return (_folder(where) / file).read_text("utf-8")


def _folder(where: str) -> Path:
    match where:
        case "model":
            return _MODEL
        case "scripts":
            return Path(echomq_lua.__file__).parent
        case "core":
            return Path(echomq_core.__file__).parent
        case "valkey":
            return Path(_valkey().__file__ or "").parent
    raise EditError(f"there are no sources of {where!r}")


def _valkey() -> ModuleType:
    return import_module("echomq_valkey")


@contextmanager
def bred(mutant: Mutant) -> Iterator[Target]:
    """The mutant as a target, as long as the block lasts."""
    texts = edited(mutant.edits, partial(source_of, mutant.where))
    match mutant.where:
        case "model":
            with with_model(texts) as target:
                yield target
        case "scripts":
            with with_scripts(texts):
                yield on_a_server()
        case _:
            with with_functions(f"echomq_{mutant.where}", texts):
                yield _memory() if mutant.where == "core" else on_a_server()


def _memory() -> Target:
    target = memory()
    return replace(target, claims=target.claims & CLAIMS)


def on_a_server() -> Target:
    """The Valkey backend as it is now, on a private server."""
    target = valkey()
    return replace(target, claims=target.claims & (CLAIMS | {"wire"}))


@contextmanager
def with_model(texts: Mapping[str, str]) -> Iterator[Target]:
    """A target over a copy of the memory package in which these files are changed."""
    with tempfile.TemporaryDirectory(prefix="echomq-mutant-") as folder, ExitStack() as undo:
        name = "mutant_memory"
        package = Path(folder) / name
        shutil.copytree(_MODEL, package, ignore=shutil.ignore_patterns("__pycache__"))
        for file, text in texts.items():
            (package / file).write_text(text, "utf-8")
        sys.path.insert(0, folder)
        undo.callback(sys.path.remove, folder)
        undo.callback(_forget, name)
        yield _target_over(import_module(name))


def _forget(package: str) -> None:
    for name in [name for name in sys.modules if name.split(".", 1)[0] == package]:
        del sys.modules[name]


def _target_over(package: Any) -> Target:
    stores: list[Any] = []

    @contextmanager
    def opened(clock: Clock | None) -> Iterator[Backend]:
        stores[:] = [package.Store(clock)]
        with package.MemoryBackend(store=stores[0]) as backend:
            yield backend

    def lose_row(queue: str, job_id: str) -> None:
        stores[0].lose_row(queue, job_id)

    def peer() -> Callable[[], Any]:
        return partial(package.MemoryBackend, store=stores[0])

    return Target("mutant-model", "0", CLAIMS, lose_row, open=opened, peer=peer)


@contextmanager
def with_scripts(texts: Mapping[str, str]) -> Iterator[None]:
    """Scripts assembled from these files instead of the shipped ones."""
    read = echomq_lua._read
    caches = (echomq_lua.load, echomq_lua.sha1, echomq_lua.header)

    def forget() -> None:
        for cached in caches:
            cached.cache_clear()

    forget()
    echomq_lua._read = lambda path: texts[path] if path in texts else read(path)
    try:
        yield
    finally:
        echomq_lua._read = read
        forget()


@contextmanager
def with_functions(package: str, texts: Mapping[str, str]) -> Iterator[None]:
    """The functions of these files run the changed code; whoever imported them before, too."""
    with ExitStack() as undo:
        for file, text in texts.items():
            module = import_module(f"{package}.{file.removesuffix('.py').replace('/', '.')}")
            new = _code_by_name(compile(text, file, "exec"))
            changed = [
                (function, new[function.__qualname__])
                for function in _functions_of(module)
                if function.__qualname__ in new
                and _differs(function.__code__, new[function.__qualname__])
            ]
            if not changed:
                raise EditError(f"{package}/{file}: no function changed")
            for function, code in changed:
                undo.callback(setattr, function, "__code__", function.__code__)
                function.__code__ = code
        yield


def _functions_of(module: ModuleType) -> Iterator[FunctionType]:
    for value in vars(module).values():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield value
        elif isinstance(value, type) and value.__module__ == module.__name__:
            yield from (part for part in vars(value).values() if isinstance(part, FunctionType))


def _code_by_name(code: CodeType) -> dict[str, CodeType]:
    found: dict[str, CodeType] = {}
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found |= {part.co_qualname: part, **_code_by_name(part)}
    return found


def _differs(old: CodeType, new: CodeType) -> bool:
    return (old.co_code, old.co_consts, old.co_names) != (new.co_code, new.co_consts, new.co_names)
