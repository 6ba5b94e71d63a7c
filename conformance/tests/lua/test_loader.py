"""The loader: includes spliced in order, once, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import echomq_lua
import pytest
from echomq_lua import ScriptError, assemble


def reading(**files: str) -> Callable[[str], str]:
    """A reader of these files; `verb` is `verb.lua`, every other is an include."""
    paths = {
        f"{name}.lua" if name == "verb" else f"include/{name}.lua": files[name] for name in files
    }

    def read(path: str) -> str:
        if path not in paths:
            raise ScriptError(f"there is no script file {path!r}")
        return paths[path]

    return read


def test_include_stands_for_the_text_of_its_file() -> None:
    read = reading(verb="#!lua\n--- @include a\nreturn a()\n", a="local function a() end\n")
    assert assemble("verb", read) == "#!lua\nlocal function a() end\nreturn a()\n"


def test_dependencies_come_first() -> None:
    read = reading(verb="#!lua\n--- @include a\nlast\n", a="--- @include b\nsecond\n", b="first\n")
    assert assemble("verb", read) == "#!lua\nfirst\nsecond\nlast\n"


def test_include_that_two_files_need_is_spliced_once() -> None:
    read = reading(
        verb="#!lua\n--- @include a\n--- @include b\n--- @include c\n",
        a="--- @include c\na\n",
        b="--- @include c\nb\n",
        c="c\n",
    )
    assert assemble("verb", read) == "#!lua\nc\na\nb\n"


def test_indented_include_does_not_count_outside_its_block() -> None:
    read = reading(
        verb="#!lua\nif x then\n  --- @include a\nend\nif y then\n  --- @include a\nend\n--- @include a\n",
        a="a\n",
    )
    assert assemble("verb", read) == "#!lua\nif x then\na\nend\nif y then\na\nend\na\n"


def test_indented_include_of_what_is_there_already_is_empty() -> None:
    read = reading(verb="#!lua\n--- @include a\nif x then\n  --- @include a\nend\n", a="a\n")
    assert assemble("verb", read) == "#!lua\na\nif x then\nend\n"


def test_dependency_of_an_indented_include_does_not_count_outside_either() -> None:
    read = reading(
        verb="#!lua\nif x then\n  --- @include a\nend\n--- @include b\n",
        a="--- @include b\na\n",
        b="b\n",
    )
    assert assemble("verb", read) == "#!lua\nif x then\nb\na\nend\nb\n"


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"a": "--- @include a\n"}, "verb -> a -> a"),
        ({"a": "--- @include b\n", "b": "--- @include a\n"}, "verb -> a -> b -> a"),
        ({"a": "if x then\n  --- @include a\nend\n"}, "verb -> a -> a"),
    ],
    ids=["itself", "a cycle of two", "itself in a block"],
)
def test_cycle_is_refused_and_named(files: dict[str, str], path: str) -> None:
    with pytest.raises(ScriptError, match=path):
        assemble("verb", reading(verb="#!lua\n--- @include a\n", **files))


def test_missing_include_is_refused_and_named() -> None:
    with pytest.raises(ScriptError, match=r"include/nowhere\.lua"):
        assemble("verb", reading(verb="#!lua\n--- @include nowhere\n"))


def test_missing_script_is_refused_and_named() -> None:
    with pytest.raises(ScriptError, match=r"nowhere\.lua"):
        echomq_lua.load("nowhere")


def test_keys_2_text_without_a_shebang_is_no_script() -> None:
    with pytest.raises(ScriptError, match=r"verb.*#!lua"):
        assemble("verb", reading(verb="return 1\n"))


def test_folder_of_assembled_scripts_is_what_servers_run(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from echomq_lua.__main__ import main

    folder = tmp_path_factory.mktemp("scripts") / "new"
    main(str(folder))
    assert {path.stem for path in folder.iterdir()} == set(echomq_lua.names())
    assert (folder / "claim.lua").read_text("utf-8") == echomq_lua.load("claim")
