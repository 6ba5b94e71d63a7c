"""`python -m echomq_conformance run|clauses|new`: the command line of the kit.

Exit code 0: all that is claimed was shown; 1: something is broken, or the call was wrong;
2: something was left out or not reached.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from . import scaffold
from .matrix import clause_matrix
from .rendering import markdown, matrix, text
from .run import BUDGETS, DEFAULT_SEED
from .several import run_several
from .target import TargetError, find_target, target_names

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; answers the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "clauses":
        print(clause_matrix())
        return 0
    if options.command == "new":
        return scaffold.main(options)
    try:
        return _run(options)
    except TargetError as error:
        print(f"echomq_conformance: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m echomq_conformance", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="judge targets, one verdict per clause")
    run.add_argument(
        "--target",
        action="append",
        metavar="NAME",
        help="a registered target, or module:function; may be given again (default: all registered)",
    )
    run.add_argument("--budget", choices=tuple(BUDGETS), default="standard")
    run.add_argument("--seed", type=int, default=DEFAULT_SEED, help="default: %(default)s")
    run.add_argument("--profile", action="append", metavar="NAME", help="judge by these alone")
    run.add_argument("--jobs", type=int, default=2, metavar="N", help="targets at once (default 2)")
    run.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    run.add_argument("--markdown", type=Path, metavar="FILE", help="write it as Markdown")
    commands.add_parser("clauses", help="which checks and scenarios show which clause")
    new = commands.add_parser("new", help="write the beginning of a backend package")
    scaffold.add_arguments(new)
    return parser


def _run(options: argparse.Namespace) -> int:
    names = options.target or list(target_names())
    if not names:
        raise TargetError("no target is registered; name one as module:function")
    for name in names:
        find_target(name)
    reports = run_several(
        names,
        budget=options.budget,
        seed=options.seed,
        profiles=options.profile,
        at_once=options.jobs,
    )
    for report in reports:
        print(text(report), end="\n\n")
    print(matrix(reports))
    if options.json is not None:
        data = [report.as_data() for report in reports]
        options.json.write_text(json.dumps(data, indent=1, default=str), "utf-8")
    if options.markdown is not None:
        options.markdown.write_text(markdown(reports), "utf-8")
    codes = {report.exit_code for report in reports}
    code = 1 if 1 in codes else max(codes)
    print(f"\nseed {options.seed}: {['conforms', 'broken', 'not all was shown'][code]}")
    return code


if __name__ == "__main__":
    sys.exit(main())
