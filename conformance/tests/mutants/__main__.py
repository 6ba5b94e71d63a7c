"""`python -m tests.mutants [--only ID]`: judge the zoo, print the kill matrix; 1 if one survives."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from .judging import Sentence, judge
from .mutant import Mutant
from .workers import Ended, each_in_a_process
from .zoo import ZOO

__all__ = ["main"]

LIMIT_S = 150.0
"""The most that one mutant may take."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", action="append", metavar="ID", help="this mutant alone; again")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at once (default 2)")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in ZOO if options.only is None or mutant.id in options.only]
    if options.only is not None and len(chosen) < len(set(options.only)):
        parser.error(f"no mutant {sorted(set(options.only) - {each.id for each in chosen})}")
    started = time.monotonic()
    alive = 0
    print(f"{'fault':42} {'clause':16} {'caught by':58} seconds")
    for ended in each_in_a_process(chosen, judge, at_once=options.jobs, limit_s=LIMIT_S):
        alive += not (ended.result and ended.result.killed)
        print(_row(ended), flush=True)
    took = time.monotonic() - started
    print(f"\n{len(chosen)} mutants, {len(chosen) - alive} killed, {alive} not, {took:.0f} s")
    return 1 if alive or not chosen else 0


def _row(ended: Ended[Mutant, Sentence]) -> str:
    mutant, sentence = ended.job, ended.result
    head = f"{mutant.id:42} {mutant.clause:16}"
    if sentence is None:
        return f"{head} SURVIVED: {ended.why}"
    if sentence.killed and sentence.caught_by is not None:
        by = f"{sentence.caught_by.tier}: {sentence.caught_by.name}"
        return f"{head} {by:58} {sentence.seconds:7.1f}"
    lines = [f"{head} {'SURVIVED':58} {sentence.seconds:7.1f}"]
    noticed = [*sentence.others, *([sentence.caught_by] if sentence.caught_by else [])]
    lines += [
        f"    {found.tier} {found.name} {'/'.join(found.clauses)}: {found.message[:260]}"
        for found in noticed
    ]
    return "\n".join(lines if noticed else [*lines, "    nothing noticed it"])


if __name__ == "__main__":
    sys.exit(main())
