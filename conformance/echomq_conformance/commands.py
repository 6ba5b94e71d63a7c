"""The commands that start from a report: other forms of it, and its failures played again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .replay import replay_failure
from .report import Report
from .reports import FORMS, read_document, write_reports
from .reports.document import DocumentError
from .reports.verdicts import exit_code, numbered_failures
from .target import TargetError, find_target

__all__ = ["add_forms", "add_parsers", "asked", "replay", "report"]


def add_forms(parser: argparse.ArgumentParser) -> None:
    """One option for each form of a report."""
    for form, (words, _) in FORMS.items():
        parser.add_argument(f"--{form}", type=Path, metavar="FILE", help=f"write {words}")


def asked(options: argparse.Namespace) -> dict[str, Path]:
    """The forms that were asked for, with their files."""
    given = {form: getattr(options, form) for form in FORMS}
    return {form: path for form, path in given.items() if path is not None}


def add_parsers(doors: Any) -> None:
    """`report` and `replay`. `doors`: what `add_subparsers` answered."""
    report_parser = doors.add_parser("report", help="make the other forms of a JSON report")
    report_parser.add_argument("file", type=Path, metavar="FILE.json")
    add_forms(report_parser)
    replay_parser = doors.add_parser("replay", help="play the failures of a JSON report again")
    replay_parser.add_argument("file", type=Path, metavar="FILE.json")
    replay_parser.add_argument(
        "--failure", type=int, metavar="N", help="this one alone (default: all)"
    )
    replay_parser.add_argument(
        "--target", metavar="NAME", help="on another target than the one that failed"
    )


def _read(file: Path) -> list[Report]:
    """Raises `TargetError` that names the file."""
    try:
        return read_document(json.loads(file.read_text("utf-8")))
    except (OSError, json.JSONDecodeError, UnicodeDecodeError, DocumentError) as wrong:
        raise TargetError(f"{file}: {wrong}") from wrong


def report(options: argparse.Namespace) -> int:
    """Write what was asked for; the exit code is that of the run."""
    reports = _read(options.file)
    paths = asked(options)
    if not paths:
        raise TargetError(f"name a form to make: {', '.join(f'--{form} FILE' for form in FORMS)}")
    write_reports(reports, paths, str(options.file))
    return exit_code(reports)


def replay(options: argparse.Namespace) -> int:
    """0: no fault shows any more; 1: one does; 2: one could not be decided."""
    failures = list(numbered_failures(_read(options.file)))
    if options.failure is not None:
        failures = [each for each in failures if each[0] == options.failure]
    if not failures:
        which = "" if options.failure is None else f" number {options.failure}"
        raise TargetError(f"{options.file} has no failure{which}")
    codes = set()
    for number, found, item in failures:
        target = find_target(options.target or found.address or found.target)
        again = replay_failure(found, item, target)
        told = "the fault does not show" if again.passed else again.message
        print(f"{number}. {item.title} on {target.name}: {told}")
        codes.add({True: 0, False: 1, None: 2}[again.passed])
    return 1 if 1 in codes else max(codes)
