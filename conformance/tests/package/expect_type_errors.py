"""`expect_type_errors.py SCRIPT`: mypy --strict must find exactly the errors that the script marks.

A mark is a comment `# error: CODE` at the end of the line. A script without marks must be clean.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def marked(script: str) -> set[tuple[int, str]]:
    lines = Path(script).read_text("utf-8").splitlines()
    found = ((number, re.search(r"# error: (\S+)$", line)) for number, line in enumerate(lines, 1))
    return {(number, match[1]) for number, match in found if match}


def reported(script: str) -> set[tuple[int, str]]:
    command = (sys.executable, "-I", "-m", "mypy", "--strict", "--config-file=", script)
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1) or run.stderr:
        sys.exit(run.stdout + run.stderr)
    found = re.findall(r"^(.+?):(\d+): error: .*\[([\w-]+)\]$", run.stdout, re.MULTILINE)
    elsewhere = [line for path, line, _ in found if Path(path).name != Path(script).name]
    if elsewhere or (run.returncode == 1 and not found):
        sys.exit(run.stdout)
    return {(int(line), code) for _, line, code in found}


def main(script: str) -> None:
    expected, found = marked(script), reported(script)
    if expected != found:
        sys.exit(
            f"{script}: not found {sorted(expected - found)}, not meant {sorted(found - expected)}"
        )
    print(f"{script}: {len(expected)} errors meant and found, none else")


if __name__ == "__main__":
    main(sys.argv[1])
