"""Server processes that live no longer than the process that started them, and their folder."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Guard"]

STOP_WITHIN_S = 5.0
_LONGEST_FOLDER = 80
"""The path of a unix socket has to fit into about 100 bytes."""

# The pid is in the folder before there is a server. The watcher sees its input end when the parent
# is gone, however it went, and moves the folder away first: a server that has not written its
# pid by then finds no folder and does not start. A dying server may write once more.
_LAUNCH = 'echo $$ > "$1" && shift && exec "$@"'
_WATCH = (
    "trap '' INT TERM HUP; while read -r line; do :; done; "
    'mv "$1" "$1.gone" 2>/dev/null || exit 0; '
    'for file in "$1.gone"/*.pid; do '
    'pid=$(cat "$file" 2>/dev/null) && kill -9 "$pid" 2>/dev/null; done; '
    'rm -rf "$1.gone" 2>/dev/null || { sleep 1; rm -rf "$1.gone"; }'
)

_open: set[Guard] = set()


class Guard:
    """A folder that only this user can enter, and the servers that were launched in it.

    Gone after `close`, and when this process ends, also after a crash of it. A forked child leaves
    everything alone. Not safe for several threads at once: its owner has a lock.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._folder: Path | None = None
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._watcher: subprocess.Popen[bytes] | None = None
        self._alive: int | None = None

    @property
    def folder(self) -> Path | None:
        """`None` while it is not open."""
        return self._folder

    def open(self) -> Path:
        """Make the folder and start the watcher."""
        self._owner = os.getpid()
        self._folder = _private_folder()
        _open.add(self)
        its_input, self._alive = os.pipe()
        try:
            self._watcher = subprocess.Popen(
                ("/bin/sh", "-c", _WATCH, "sh", str(self._folder)),
                stdin=its_input,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(its_input)
        return self._folder

    def launch(self, name: str, command: Sequence[str], *, folder: Path) -> subprocess.Popen[bytes]:
        """Start a server of this name in `folder` (in ours); what it says goes to `log` there."""
        assert self._folder is not None
        pid_file = str(self._folder / f"{name}.pid")
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(
                ("/bin/sh", "-c", _LAUNCH, "sh", pid_file, *command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                start_new_session=True,  # Ctrl-C is for us, not for the server
            )
        self._processes[name] = process
        return process

    def end(self, name: str, how: signal.Signals) -> None:
        """End one server and forget its process id, which may soon be somebody else's."""
        process = self._processes.pop(name, None)
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._folder is not None:
            (self._folder / f"{name}.pid").unlink(missing_ok=True)

    def close(self) -> None:
        """End every server and remove the folder; idempotent."""
        folder, watcher, alive = self._folder, self._watcher, self._alive
        self._watcher = self._alive = None
        if os.getpid() != self._owner:
            self._folder = None
            self._processes.clear()
            return
        for process in self._processes.values():
            process.kill()
        for name in tuple(self._processes):
            self.end(name, signal.SIGKILL)
        self._folder = None
        if folder is not None:
            shutil.rmtree(folder)
        if alive is not None:
            os.close(alive)
        if watcher is not None:
            watcher.wait()
        _open.discard(self)

    def _let_go_in_child(self) -> None:
        """Close the child's copy of the watcher's input: it would outlive the parent."""
        alive, self._alive = self._alive, None
        if alive is not None:
            os.close(alive)


def _private_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="echomq-"))
    if len(os.fsencode(folder)) > _LONGEST_FOLDER:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="echomq-", dir="/tmp"))
    return folder


def _close_all() -> None:
    for guard in tuple(_open):
        guard.close()


def _let_go_of_all() -> None:
    for guard in tuple(_open):
        guard._let_go_in_child()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_of_all)
