"""`kohaku index --captions`."""

# ruff: noqa: F811

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
from commanding import Halting, Run, db, error, finished, plainly, process, run, server, wait_for  # noqa: F401
from corpus import write
from fake_server import FakeServer, Step, fails, says
from pictures import bars
from test_engine import answers, asked_for


def figures(count: int = 2) -> Path:
    """A folder with a report that shows pictures, each spoken of."""
    folder = write(Path("figures"), {})
    file = pymupdf.open()
    for number in range(1, count + 1):
        page = file.new_page(width=600, height=800)
        for line, text in enumerate(("The river carries less water every year.", f"See Figure {number}.")):
            page.insert_text((60, 100 + 14 * line), text, fontsize=11)
        page.insert_image(pymupdf.Rect(150, 300, 450, 500), stream=bars(120 + number, 80))
        page.insert_text((150, 520), f"Figure {number}: Flow at gauge {number}.", fontsize=11)
    file.save(folder / "river.pdf")
    return folder


def seen(body: dict[str, Any]) -> Step:
    return (
        says(json.dumps({"caption": "Bars of cubic metres a second, which rise."}))
        if is_caption(body)
        else answers(body)
    )


def is_caption(body: dict[str, Any]) -> bool:
    return asked_for(body) == "caption"


def test_figures_are_described_once_and_found_by_it(run: Run, server: FakeServer) -> None:
    server.otherwise = seen
    ran = run("index", figures(), "--captions", "--caption-model", "eyes")
    assert (ran.code, ran.out) == (0, "")
    assert "2 pictures described" in ran.err
    assert {body["model"] for body in server.requests} == {"eyes"}
    [first, *_] = run("retrieve", "Which figure has cubic metres a second?", "--json").objects[0]["contexts"]
    assert "cubic metres" in first["text"]
    assert run("index", figures(), "--captions").code == 0
    assert len([body for body in server.requests if is_caption(body)]) == 2
    assert run("check").code == 0


def test_a_figure_is_shown_with_what_mentions_it_and_the_other_way_round(run: Run) -> None:
    run("index", figures(1))
    assert run("docs").out.startswith("river\t")
    kinds = {one["kind"]: one["id"] for one in run("parse", "figures/river.pdf", "--json").objects}
    figure = next(f"river{id[id.index(':') :]}" for kind, id in kinds.items() if kind == "figure")
    shown = run("show", figure).out
    [sentence] = [line.split()[2].rstrip(":") for line in shown.splitlines() if line.startswith("mentioned in ")]
    assert f"mentions {figure}: Figure 1: Flow at gauge 1." in run("show", sentence).out
    assert run("show", figure, "--json").objects[0]["mentioned_in"] == [sentence]
    assert run("show", sentence, "--json").objects[0]["figures"] == [figure]


def test_captions_without_a_model_are_refused_before_anything_is_read(run: Run) -> None:
    assert "--caption-model" in error(run("index", figures(), "--captions"))
    assert not Path("kohaku.db").exists()


def test_a_figure_that_could_not_be_described_is_said_and_the_index_is_there(run: Run, server: FakeServer) -> None:
    server.otherwise = lambda body: fails(400, "no pictures here")
    ran = run("index", figures(), "--captions")
    assert (ran.code, ran.out) == (1, "")
    [line] = [line for line in ran.err.splitlines() if line.startswith("no caption for river:")]
    assert "no pictures here" in line and "run again" in line
    server.otherwise = seen
    assert run("index", figures(), "--captions").code == 0
    assert "cubic metres" in run("retrieve", "cubic metres a second").out


def test_a_run_killed_among_captions_goes_on_where_it_was(run: Run, server: FakeServer) -> None:
    server.otherwise = halting = Halting(2, "caption", seen)
    started = process("index", figures(5), "--captions", "--concurrency", 1, "--embedder", "default")
    wait_for(lambda: len(server.requests) == 3)
    started.kill()
    finished(started)
    halting.go.set()
    asked = len(server.requests)
    assert run("index", figures(5), "--captions").code == 0
    assert len(server.requests) - asked == 3
    assert run("check").code == 0
