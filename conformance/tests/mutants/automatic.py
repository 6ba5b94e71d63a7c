"""`python -m tests.mutants.automatic model|scripts`: what the kit makes of random small changes.

Prints each change that nothing noticed, and the score; `--json` keeps all of it. The sample is
drawn by a seed, so a run can be repeated.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

from echomq_conformance.run import Budget
from echomq_conformance.target import Target

from .breeding import on_a_server, source_of, with_model, with_scripts
from .judging import Finding, by_name, by_search
from .lua_operators import Change, lua_changes
from .workers import Ended, each_in_a_process

__all__ = ["changes", "main"]

SEED = 7
LIMIT_S = 120.0
NAMED_S = 25.0
DEEP = Budget(examples=15, steps=40, tours=1)
DEEP_WORLDS = (("lives", 1.5), ("three", 1.0), ("lossy", 1.0))

MODEL_FILES = (
    "admission.py",
    "explaining.py",
    "operators.py",
    "reads.py",
    "settling.py",
    "state.py",
    "sweeps.py",
    "turns.py",
    "waking.py",
)
"""The rules of the oracle. Left out: `ordered.py`, a container with tests of its own, whose changes
mostly cost time; `repair.py`, since a memory target has no door to damage but a lost row (the fsck of
the scripts is in: there the wire profile breaks keys by hand); lock, clock, parking and faces."""

NOT_SCRIPTS = ("diagnose.lua",)
"""It only names the key in a refusal; `conformance/tests/wire` goes through all of it."""

SAME = ("_Is_Eq", "_IsNot_NotEq")
"""Operators that change nothing where they apply: members of enumerations and `None`."""


def changes(what: str) -> Iterator[Change]:
    """All changes that are offered."""
    if what == "scripts":
        import echomq_lua

        folder = Path(echomq_lua.__file__).parent
        for path in sorted([*folder.glob("*.lua"), *folder.glob("include/*.lua")]):
            file = str(path.relative_to(folder))
            if file not in NOT_SCRIPTS:
                yield from lua_changes(file, source_of("scripts", file))
        return
    from .python_operators import python_changes

    for file in MODEL_FILES:
        for change in python_changes(file, source_of("model", file)):
            if not change.operator.endswith(SAME):
                yield change


def first_finding(what: str, change: Change) -> Finding | None:
    """What of the kit notices a change first."""
    texts = {change.file: change.text}
    if what == "model":
        with with_model(texts) as target:
            return _first(target)
    with with_scripts(texts):
        return _first(on_a_server())


def _first(target: Target) -> Finding | None:
    with _overdue_after(NAMED_S):
        found = next(by_name(target), None)
    return found or next(by_search(target, DEEP, DEEP_WORLDS), None)


@contextmanager
def _overdue_after(seconds: float) -> Iterator[None]:
    """A loop without end becomes an error of the verb that is in it."""

    def end(*_: object) -> None:
        raise TimeoutError(f"still not done after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.automatic", description=__doc__)
    parser.add_argument("what", choices=("model", "scripts"))
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="0: all")
    parser.add_argument("--file", action="append", metavar="FILE", help="changes of these alone")
    parser.add_argument("--again", type=Path, metavar="FILE", help="survivors of an earlier --json")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    offered = [
        change
        for change in changes(options.what)
        if options.file is None or change.file in options.file
    ]
    chosen = offered
    if options.again is not None:
        earlier = json.loads(options.again.read_text("utf-8"))
        alive = {each["change"] for each in earlier if each["how"] == "survived"}
        chosen = [change for change in offered if change.id in alive]
    elif options.sample and options.sample < len(offered):
        chosen = Random(options.seed).sample(offered, options.sample)
    started = time.monotonic()
    ended = []
    judge = partial(first_finding, options.what)
    for each in each_in_a_process(chosen, judge, at_once=options.jobs, limit_s=LIMIT_S):
        ended.append(each)
        if _how(each) == "survived":
            print(f"SURVIVED {each.job.id}", flush=True)
    counts = Counter(_how(each) for each in ended)
    killed = len(ended) - counts["survived"]
    took = time.monotonic() - started
    print(
        f"{options.what}: {len(chosen)} of {len(offered)} changes, seed {options.seed}, {took:.0f} s"
    )
    print(f"killed {killed} ({killed / max(1, len(ended)):.1%}): {dict(counts)}")
    if options.json is not None:
        data = [{"change": e.job.id, "how": _how(e), "by": _by(e)} for e in ended]
        options.json.write_text(json.dumps(data, indent=1), "utf-8")
    return 0


def _how(ended: Ended[Change, Finding | None]) -> str:
    if ended.why:
        return "did not come to an end" if ended.why.startswith("ended") else "could not be opened"
    return "survived" if ended.result is None else ended.result.tier


def _by(ended: Ended[Change, Finding | None]) -> str:
    if ended.result is None:
        return ended.why
    return f"{'/'.join(ended.result.clauses)} {ended.result.name}"


if __name__ == "__main__":
    sys.exit(main())
