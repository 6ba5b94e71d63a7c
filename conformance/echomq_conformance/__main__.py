"""`python -m echomq_conformance run|report|replay|clauses|new|vectors`: the command line of the kit.

Exit code 0: all that is claimed was shown; 1: something is broken, or the call was wrong;
2: something was left out or not reached.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import commands, scaffold, vector_command
from .matrix import clause_matrix, clause_page
from .rendering import matrix, text
from .reports import write_reports
from .reports.verdicts import conclusion, exit_code, numbered_failures, replay_command
from .run import BUDGETS, DEFAULT_SEED
from .several import run_several
from .target import TargetError, available_targets, find_target

__all__ = ["main"]

REPRO = Path("repro.json")
"""Where a red run leaves its report when no `--json` says where."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; answers the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "clauses":
        print(clause_page() if options.markdown else clause_matrix())
        return 0
    if options.command == "new":
        return scaffold.main(options)
    if options.command == "vectors":
        return vector_command.main(options)
    try:
        return {"run": _run, "report": commands.report, "replay": commands.replay}[options.command](
            options
        )
    except TargetError as error:
        print(f"echomq_conformance: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m echomq_conformance", description=__doc__)
    doors = parser.add_subparsers(dest="command", required=True)
    run = doors.add_parser("run", help="judge targets, one verdict per clause")
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
    commands.add_forms(run)
    commands.add_parsers(doors)
    clauses = doors.add_parser("clauses", help="which checks and scenarios show which clause")
    clauses.add_argument("--markdown", action="store_true", help="as the page of the reference")
    new = doors.add_parser("new", help="write the beginning of a backend package")
    scaffold.add_arguments(new)
    vectors = doors.add_parser("vectors", help="play the interop vectors against a server")
    vector_command.add_arguments(vectors)
    return parser


def _run(options: argparse.Namespace) -> int:
    names: list[str] = options.target or []
    left_out: dict[str, str] = {}
    if not names:
        # Only what nobody asked for by name may be left out, and the report says so.
        names, left_out = available_targets()
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
    for name, reason in left_out.items():
        print(f"\nnot run: {name}: {reason}")
    code = exit_code(reports)
    paths = commands.asked(options)
    if code == 1:
        paths.setdefault("json", REPRO)
    file = str(paths.get("json", REPRO))
    write_reports(reports, paths, file)
    for number, _, item in numbered_failures(reports):
        print(f"again: {replay_command(file, number)}  # {', '.join(item.clauses)}")
    print(f"\nseed {options.seed}: {conclusion(code)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
