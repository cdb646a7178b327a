"""What a sweep's file may say, and which runs it makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kohaku.doors.sweep.spec import axes, baseline_of, points, read_spec, repeats, spec_of
from kohaku.doors.sweep.trials import NO_MATTER, trials
from kohaku.errors import SettingsError
from kohaku.settings import Settings, load

SWEEPS = sorted((Path(__file__).parent.parent / "scripts" / "sweeps").glob("*.toml"))
MODEL = Settings.model_validate({"model": "m", "base_url": "http://user:secret@here:1/v1", "api_key": "k"})


def names(spec: dict[str, Any], settings: Settings = MODEL) -> list[str]:
    return [trial.name for trial in trials(spec_of(spec, "s.toml"), settings, "s.toml")]


def test_a_grid_makes_all_combinations_each_once_a_seed() -> None:
    spec = {"grid": {"top_k": [4, 8], "hyde": [False, True]}, "seeds": [1, 2]}
    assert names(spec)[:3] == ["top_k 4, hyde no, seed 1", "top_k 4, hyde no, seed 2", "top_k 4, hyde yes, seed 1"]
    found = trials(spec_of(spec, "s"), MODEL, "s")
    assert len(found) == 8
    assert [(one.settings.top_k, one.settings.hyde, one.settings.seed) for one in found][-1] == (8, True, 2)


def test_named_runs_are_combined_with_the_grid_and_what_has_one_value_is_no_axis() -> None:
    spec = {"run": [{"name": "plain"}, {"strict": True}], "grid": {"budget": [9, 10], "order": ["ends"]}}
    assert names(spec) == ["plain, budget 9", "plain, budget 10", "strict yes, budget 9", "strict yes, budget 10"]
    assert [axis.name for axis in axes(spec_of(spec, "s"))] == ["run", "budget"]
    assert trials(spec_of(spec, "s"), MODEL, "s")[-1].settings.order == "ends"


def test_repeats_may_differ_in_any_setting() -> None:
    spec = {"repeat": [{"seed": 1, "base_url": "http://a/v1"}, {"seed": 2, "base_url": "http://b/v1"}]}
    assert [one.settings.base_url for one in trials(spec_of(spec, "s"), MODEL, "s")] == ["http://a/v1", "http://b/v1"]
    assert names(spec) == ["all, seed 1", "all, seed 2"]
    assert names({"repeat": [{"temperature": 0.5}, {"temperature": 1}]})[0] == "all, temperature 0.5"


def test_a_spec_without_anything_is_one_run() -> None:
    assert names({}) == ["all"]


def test_without_a_model_repeats_would_be_the_same_and_are_made_once() -> None:
    assert names({"grid": {"top_k": [1, 2]}, "seeds": [1, 2, 3]}, load()) == ["top_k 1, seed 1", "top_k 2, seed 1"]


def test_a_search_is_kept_to_documents_as_answers_are() -> None:
    spec = {"run": [{"name": "all"}, {"name": "new", "where": ["year>=2023"], "not_doc": "draft*"}]}
    found = trials(spec_of(spec, "s"), MODEL, "s")
    assert [str(one.scope) for one in found] == ["", "year>=2023, not draft*"]
    assert found[0].key("q", "i") != found[1].key("q", "i")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"grid": {"topk": [1]}}, "unknown setting 'topk' in [grid] of s.toml: did you mean 'top_k'?"),
        ({"settings": {"buget": 1}}, "'buget' in [settings] of s.toml: did you mean 'budget'?"),
        ({"run": [{"ordr": "ends"}]}, "'ordr' in [[run]] of s.toml: did you mean 'order'?"),
        ({"gird": {}}, "'gird' in s.toml: unknown key: did you mean 'grid'?"),
        ({"grid": {"top_k": []}}, "'grid.top_k' in s.toml"),
        ({"grid": {"top_k": 4}}, "'grid.top_k' in s.toml"),
        ({"grid": {"top_k": [0]}}, "setting 'top_k' in s.toml: Input should be greater than or equal to 1"),
        ({"grid": {"order": ["middle"]}}, "setting 'order' in s.toml"),
        ({"grid": {"top_k": [4, 4]}}, "the same twice"),
        ({"grid": {"top_k": [100.0, 5, 100]}}, "top_k in s.toml has the same twice, 100.0 and 100: keep one"),
        ({"grid": {"budget": [500, "500"]}}, "the same twice"),
        ({"repeat": [{"temperature": 1}, {"temperature": 1.0}]}, "are the same run: keep one of them"),
        ({"run": [{"name": "a"}, {"name": "a", "top_k": 1}]}, "the same twice"),
        ({"grid": {"seed": [1, 2]}, "seeds": [1, 2]}, "seed is varied in two places"),
        ({"grid": {"top_k": [1, 2]}, "run": [{"top_k": 3}]}, "top_k is varied in two places"),
        ({"seeds": [1], "repeat": [{"seed": 2}]}, "seeds and [[repeat]]"),
        ({"grid": {"concurrency": [1, 2]}}, "concurrency holds for the whole sweep"),
        ({"settings": {"api_key": "sk-1"}}, "api_key has no place in s.toml"),
        ({"grid": {"paragraph_vectors": ["mean", "both"]}}, "paragraph_vectors is settled when documents are indexed"),
        ({"grid": {"embedder": ["a", "b"]}}, "embedder is settled when documents are indexed"),
        ({"documents": ["x"], "grid": {"db": ["a.db", "b.db"]}}, "documents to index and a db for each run"),
        ({"metrics": ["scor"]}, "unknown metric 'scor' in s.toml: did you mean 'score'?"),
        ({"metrics": ["bert_score"]}, "needs a model"),
        ({"grid": {"top_k": list(range(1, 200)), "budget": list(range(1, 200))}}, "39,601 runs"),
    ],
)
def test_a_spec_that_can_t_be_run_is_one_line_that_says_why(spec: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError) as told:
        names(spec)
    assert words in str(told.value) and "\n" not in str(told.value) and "sk-1" not in str(told.value)


def test_embedders_may_differ_where_each_has_an_index_or_there_are_documents_to_index() -> None:
    runs = [{"embedder": name, "db": f"{name}.db"} for name in "ab"]
    assert len(names({"run": runs})) == len(names({"grid": {"embedder": ["a", "b"]}, "documents": ["x"]})) == 2


def test_a_baseline_is_named_or_told_by_its_settings() -> None:
    spec = spec_of({"run": [{"name": "a"}, {"name": "b"}], "grid": {"top_k": [1, 2]}, "baseline": "a, top_k 2"}, "s")
    found = baseline_of(spec, points(spec))
    assert found is not None and found.place == {"run": "a", "top_k": "2"}
    told = spec.model_copy(update={"baseline": {"run": "b", "top_k": 1}})
    assert baseline_of(told, points(told)) == points(told)[2]
    with pytest.raises(SettingsError, match="2 settings are so called: name one of a, top_k 1;"):
        baseline_of(spec.model_copy(update={"baseline": "a"}), points(spec))


def test_a_run_is_known_by_what_its_answers_hang_on_and_by_nothing_else() -> None:
    def key(settings: dict[str, Any], **spec: Any) -> str:
        base = MODEL.model_copy(update=settings)
        return trials(spec_of(spec, "s"), base, "s")[0].key("questions", "index")

    same = key({})
    assert set(Settings.model_fields) > NO_MATTER
    assert same == key({"concurrency": 1, "db": Path("other.db"), "timeout": 5.0})
    assert same == key({"base_url": "http://here:1/v1"}) == key({}, run=[{"name": "called otherwise"}])
    assert same == key({}, grid={"top_k": [150]})
    assert len({same, key({"top_k": 4}), key({"model": "n"}), key({"seed": 1}), key({"base_url": "http://x/v1"})}) == 5


def test_a_file_of_examples_counts_by_what_is_in_it() -> None:
    Path("examples.csv").write_text("question,answer\na,b\n", encoding="utf-8")
    [trial] = trials(spec_of({"settings": {"passes": 2, "examples": "examples.csv"}}, "s"), MODEL, "s")
    before = trial.key("q", "i")
    Path("examples.csv").write_text("question,answer\na,c\n", encoding="utf-8")
    assert trial.key("q", "i") != before


def test_no_secret_is_among_what_a_run_keeps() -> None:
    [trial] = trials(spec_of({}, "s"), MODEL, "s")
    assert (trial.told["model"], trial.told["base_url"]) == ("m", "http://here:1/v1")
    assert not {"api_key", "password", "token"} & trial.told.keys() and "secret" not in str(trial.told)


@pytest.mark.parametrize("text", ["grid = ", "[grid]\ntop_k = [1\n", "\x00"])
def test_a_file_that_is_no_toml_is_one_line(text: str) -> None:
    Path("s.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"s\.toml is no TOML"):
        read_spec(Path("s.toml"))
    with pytest.raises(SettingsError, match="no sweep at none"):
        read_spec(Path("none"))


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_each_sweep_of_ours_makes_the_runs_that_it_names(path: Path) -> None:
    spec = read_spec(path).model_copy(update={"documents": (Path("papers"),)})
    found = trials(spec, MODEL, path.name)
    expected = max(1, len(spec.run)) * len(repeats(spec))
    for values in spec.grid.values():
        expected *= len(values)
    assert len(found) == expected == len({one.key("q", "i") + str(one.settings.embedder) for one in found}) > 2
    assert spec.title and len(axes(spec)) <= 2 and (baseline_of(spec, points(spec)) is None) == (spec.baseline is None)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 35


def test_all_of_kohakurag_s_sweeps_are_there() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SWEEPS]
    assert sum("# KohakuRAG:" in text for text in texts) == 17
    assert sum("# HiFi-RAG's ablation" in text for text in texts) == 1
