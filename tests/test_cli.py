"""The command line: results on stdout, all else on stderr, exit 0, 1 or 2, errors that say what to do next."""

# ruff: noqa: F811

from __future__ import annotations

import shlex

import pytest
import typer
from commanding import Run, db, plainly, questions, run  # noqa: F401

from kohaku.doors.cli import app
from kohaku.doors.commands.options import SETTINGS
from kohaku.settings import Settings

COMMANDS = (
    "index",
    "parse",
    "retrieve",
    "answer",
    "vote",
    "score",
    "sweep",
    "docs",
    "show",
    "info",
    "remove",
    "check",
    "map",
    "mcp",
    "import-kohakurag",
    "profile",
    "serve",
)


def test_alone_it_shows_what_it_can_do(run: Run) -> None:
    ran = run()
    assert ran.code in (0, 2)
    for command in COMMANDS:
        assert command in ran.out + ran.err


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_a_help_with_an_example(run: Run, command: str, flag: str) -> None:
    ran = run(command, flag)
    assert (ran.code, ran.err) == (0, "")
    assert f"Example: kohaku {command}" in " ".join(ran.out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_each_help_is_a_command_that_can_be_given(run: Run, command: str) -> None:
    shown = " ".join(run(command, "--help").out.split())
    example = shown.partition("Example: kohaku ")[2].partition(" Arguments:")[0].partition(" Options:")[0]
    name, *arguments = shlex.split(example.partition(" > ")[0])
    assert name == command
    group = typer.main.get_command(app)
    with group.make_context("kohaku", [name, *arguments]) as context:
        _, found, left = group.resolve_command(context, [name, *arguments])  # type: ignore[attr-defined]
        assert found.make_context(name, left, parent=context).params


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "mcp"])  # whose stdout is a protocol's
def test_every_command_gives_its_result_as_json(run: Run, command: str) -> None:
    assert "--json" in run(command, "--help").out


def test_the_list_of_commands_says_all_of_what_each_does(run: Run) -> None:
    shown = " ".join(run("--help").out.split())
    for info in app.registered_commands:
        assert info.callback and (info.callback.__doc__ or "").partition("\n")[0] in shown


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_what_serves_takes_the_options_of_answers(run: Run, command: str) -> None:
    options = {word for word in run("answer", "--help").out.split() if word.startswith("--")}
    one_answer = {"--questions", "--out", "--unit", "--metadata", "--resume", "--restart", "--confidence", "--explain"}
    one_answer |= {"--report", "--pictures", "--stream", "--where", "--doc", "--not-doc", "--kind", "--json"}
    assert options - one_answer - {"--model)]"} <= set(run(command, "--help").out.split())


def test_the_help_shows_the_default_of_every_setting_that_has_one() -> None:
    shown = {name: option.__metadata__[0].show_default for name, option in SETTINGS.items()}
    defaults = {name: Settings.model_fields[name].default for name in shown if name != "workers"}
    told = {name: str(one) for name, one in defaults.items() if isinstance(one, int | str) and one is not False}
    told["reply_cache"] = "reply-cache"
    assert {name: shown[name] for name in told} == told


@pytest.mark.parametrize(("typed", "offered"), [("kohaku imp", "import-kohakurag"), ("kohaku show --pi", "--picture")])
def test_a_shell_completes_commands_and_options(
    run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, offered: str
) -> None:
    monkeypatch.setenv("_KOHAKU_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    ran = run()
    assert (ran.code, ran.err) == (0, "")
    assert offered in ran.out.split()


def test_the_help_names_every_command_and_no_other() -> None:
    named = [info.callback.__name__ for info in app.registered_commands if info.callback]
    assert sorted(name.replace("_", "-") for name in named) == sorted(COMMANDS)


def test_the_version_is_shown(run: Run) -> None:
    ran = run("--version")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.strip()[0].isdigit()


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["index"],
        ["retrieve"],
        ["retrieve", "q", "--questions", "q.csv"],
        ["retrieve", "--questions", "q.csv"],
        ["retrieve", "q", "--out", "x"],
        ["retrieve", ""],
        ["retrieve", "q", "--where", "year"],
        ["retrieve", "q", "--kind", "tabel"],
        ["retrieve", "q", "--rerank-top", "9"],
        ["answer", "q", "--order", "ends"],
        ["answer", "q", "--passes", "2"],
        ["answer", "q", "--examples", "e.csv"],
        ["answer", "q", "--vote", "union"],
        ["answer", "q", "--report", "--explain"],
        ["answer", "q", "--report", "--unit", "kWh"],
        ["index", "papers", "--caption-model", "eyes"],
        ["retrieve", "q", "--budget", "0"],
        ["retrieve", "q", "--budget", "many"],
        ["retrieve", "q", "--fusion", "best"],
        ["answer"],
        ["answer", " "],
        ["answer", "--questions", "q.csv"],
        ["answer", "q", "--concurrency", "0"],
        ["answer", "--questions", "q.csv", "--out", "o.csv", "--unit", "kWh"],
        ["serve", "--passes", "2"],
        ["mcp", "--rerank-top", "9"],
        ["answer", "--questions", "q.csv", "--out", "o.csv", "--explain"],
        ["answer", "q", "--metadata", "m.csv"],
        ["answer", "q", "--restart"],
        ["show", "n", "--json", "--picture", "p.png"],
        ["show", "n", "--tree", "--picture", "p.png"],
        ["show", "n", "--depth", "1"],
        ["answer", "q", "--report", "--pictures", "pages"],
        ["index", "x", "--paragraph-vectors", "all"],
        ["score", "--truth", "t.csv"],
        ["docs", "--nosuch"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_said_on_stderr_with_exit_2(run: Run, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage" in ran.err


def test_each_command_that_reads_an_index_says_where_to_get_one(run: Run) -> None:
    for command in (
        ["retrieve", "q"],
        ["answer", "q"],
        ["docs"],
        ["show", "n"],
        ["info"],
        ["check"],
        ["mcp"],
        ["map", "--out", "m.svg"],
    ):
        assert "no index at kohaku.db: make one with `kohaku index" in run(*command).err
