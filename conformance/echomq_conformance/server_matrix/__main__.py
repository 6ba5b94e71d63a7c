"""Run the matrix: prints its tables, and with `--write FILE` puts them on a page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from ..run import DEFAULT_SEED
from .cells import find_servers, places
from .page import page
from .running import BUDGET, failures, run_at


def main(arguments: Sequence[str] | None = None) -> int:
    """1 when a cell is broken, 0 otherwise: what is not there is reported as not run."""
    parser = argparse.ArgumentParser(
        prog="python -m echomq_conformance.server_matrix", description=__doc__
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there too")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="default: %(default)s")
    parser.add_argument("--only", metavar="TEXT", default="", help="servers whose name has this")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at once (default 2)")
    options = parser.parse_args(arguments)
    servers = [server for server in find_servers(os.environ) if options.only in server.name]
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        started = [pool.submit(run_at, place, options.seed) for place in places(servers)]
        cells = [each.result() for each in started]
    for cell in cells:
        for line in failures(cell):
            print(line, file=sys.stderr)
    text = page(cells, BUDGET, options.seed)
    print(text, end="")
    if options.write is not None:
        options.write.write_text(text, "utf-8")
    return 1 if any(failures(cell) for cell in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
