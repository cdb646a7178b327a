"""A search kept to some documents and kinds looks there only, and finds as much there as it would find elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LetterEmbedder
from corpus import indexed, write
from hypothesis import given
from hypothesis import strategies as st

from indexer.build import build
from kohaku.errors import ScopeError
from kohaku.scope import OPERATORS, Condition, Scope, admitted
from kohaku.store import Store
from kohaku.tokens import count
from kohaku.tree import Document, Kind
from retriever.evidence import Evidence
from retriever.retrieve import Limits, Method, retrieve

WIDE = Limits(100, 100_000)
TABLE = "# Site\n\nWater was used.\n\n| Year | Water |\n| --- | --- |\n| 2022 | 31 |\n| 2023 | 32 |\n"


def ask(question: str, store: Store, scope: Scope, limits: Limits = WIDE) -> Evidence:
    return retrieve(question, [question], store, LetterEmbedder(), limits, Method("score"), count=count, scope=scope)


def documents(**said: dict[str, str]) -> list[Document]:
    return [Document(id, f"Title of {id}", (id,), "", "", metadata=metadata) for id, metadata in said.items()]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Fifty documents that all speak of water, the last one least; each knows its year."""
    files = {f"d{n}.md": f"# Water {n}\n\n" + f"Water, water, water {n} is used.\n\n" * 5 for n in range(49)}
    files["d49.md"] = "# Other\n\n" + "\n\n".join(f"In month {n} some water fell as rain." for n in range(30))
    folder = tmp_path_factory.mktemp("many")
    lines = ["id,title,year,type", *(f"d{n},Report {n},{1975 + n},{'paper' if n % 2 else 'report'}" for n in range(50))]
    (folder / "m.csv").write_text("\n".join(lines), encoding="utf-8")
    model = LetterEmbedder()
    with Store.create(folder / "x.db", fingerprint=model.fingerprint, dimensions=26) as store:
        build([write(folder / "files", files)], store, model, workers=1, metadata=folder / "m.csv")
    with Store.open(folder / "x.db") as store:
        yield store


# ---- conditions


@pytest.mark.parametrize(
    ("condition", "said", "holds"),
    [
        ("year>=2023", "2023", True),
        ("year>=2023", "2022", False),
        ("size<1,000", "999.5", True),
        ("size>9", "10", True),  # as texts it would not be
        ("size=1234", "1,234", True),
        ("size!=1234", "1234.0", False),
        ("date>=2023", "2023-01-01", True),
        ("date=2023", "2023-04-05", True),
        ("date=2023-04", "2023", False),  # some of that year's days only
        ("date<2023-04", "2023-03-31T23:59:59Z", True),
        ("date<=2023-02", "2023-02-28", True),
        ("date>2023-02", "2023-02-28", False),
        ("date>=2023-02-31", "2024-01-01", False),  # there is no such day
        ("type=Paper", "paper ", True),
        ("type!=paper", "", True),
        ("type=", "", True),
        ("type!=", "", False),
        ("year<2023", "", False),
        ("year<2023", "n.d.", False),
        ("name>b", "Cd", True),
        ("title~LAKE site", "The  Lake\nSite report", True),
        ("title~lake", "", False),
        ("note=a=b", "a=b", True),
    ],
)
def test_a_condition_compares_numbers_dates_and_texts_as_such(condition: str, said: str, holds: bool) -> None:
    assert Condition.of(condition).holds(said) is holds


@pytest.mark.parametrize("text", ["", "year", "=3", ">=", " ~x"])
def test_what_is_no_condition_is_said(text: str) -> None:
    with pytest.raises(ScopeError, match="KEY=VALUE"):
        Condition.of(text)


@given(st.text(max_size=30), st.sampled_from(OPERATORS), st.text(max_size=12), st.text(max_size=12))
def test_any_text_is_compared_without_an_error(text: str, operator: str, said: str, value: str) -> None:
    assert Condition("k", operator, value).holds(said) in (True, False)
    assert Condition("k", "=", said).holds(said)
    try:
        assert Condition.of(text).operator in OPERATORS
    except ScopeError as error:
        assert "no condition" in str(error)


@given(st.sampled_from(["2023", "2023-04", "2023-04-05", "7", "1,000", "x"]), st.sampled_from(["2022", "2023-05", "7"]))
def test_less_equal_and_greater_exclude_each_other(said: str, value: str) -> None:
    assert sum(Condition("k", operator, value).holds(said) for operator in "<=>") <= 1


# ---- documents


def test_all_conditions_must_hold() -> None:
    known = documents(a={"year": "2024", "type": "paper"}, b={"year": "2024"}, c={"year": "2020", "type": "paper"})
    assert admitted(Scope.of(where=["year>2023", "type=paper"]), known) == {"a"}
    assert admitted(Scope.of(where=["TITLE~of b"]), known) == {"b"}


def test_documents_are_taken_in_and_left_out_by_id_or_pattern() -> None:
    known = documents(lake2022={}, lake2023={}, hall={}, **{"a[1]": {}})
    assert admitted(Scope.of(documents=["lake*", "hall"]), known) == {"lake2022", "lake2023", "hall"}
    assert admitted(Scope.of(documents=["LAKE*"], without=["*2022"]), known) == {"lake2023"}
    assert admitted(Scope.of(documents=["a[1]"]), known) == {"a[1]"}


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        (
            Scope.of(where=["yaer>2000"]),
            "no document has 'yaer' in its metadata, but id, title, year: give one",
        ),
        (Scope.of(documents=["lak"]), "no document 'lak': did you mean 'lake'?"),
        (Scope.of(without=["lak"]), "no document 'lak'"),
        (Scope.of(where=["year>2090"]), "no document of 2 is within year>2090"),
        (Scope.of(documents=["x*"]), "no document of 2 is within x*"),
    ],
)
def test_a_scope_that_can_hold_nothing_is_said_in_a_line(scope: Scope, words: str) -> None:
    with pytest.raises(ScopeError) as told:
        admitted(scope, documents(lake={"year": "2023"}, hall={}))
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_an_unknown_kind_is_said() -> None:
    with pytest.raises(ScopeError, match="'tabel': give one of section, paragraph, table"):
        Scope.of(kinds=["tabel"])


# ---- searches


def test_one_document_of_fifty_gets_as_many_hits_as_any(many: Store) -> None:
    alone = ask("How much water is used?", many, Scope.of(documents=["d49"]), Limits(20, 100_000))
    assert {context.document for context in alone.contexts} == {"d49"}
    assert len(alone.contexts) >= 20
    assert ask("How much water is used?", many, Scope(), Limits(20, 100_000)).contexts[0].document != "d49"


def test_a_search_is_kept_to_what_the_metadata_say(many: Store) -> None:
    found = ask("water", many, Scope.of(where=["year>=2020", "type=paper"]))
    assert {context.document for context in found.contexts} <= {"d45", "d47", "d49"}
    assert found.contexts


def test_a_document_that_is_left_out_lifts_nothing(many: Store) -> None:
    found = ask("Water in Report 3", many, Scope.of(without=["d3"]))
    assert "d3" not in {context.document for context in found.contexts}


def test_values_of_a_scope_are_never_statements(many: Store) -> None:
    with pytest.raises(ScopeError):
        ask("water", many, Scope.of(documents=["x'); drop table node; --"]))
    assert ask("water", many, Scope.of(where=["type!='; drop table node; --"])).contexts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with indexed(tmp_path, {"t.md": TABLE, "p.md": "# Prose\n\nWater of 2023 was clear.\n"}) as opened:
        yield opened


def test_tables_only(store: Store) -> None:
    found = ask("How much water in 2023?", store, Scope.of(kinds=["table"]))
    assert [context.kind for context in found.contexts] == [Kind.TABLE]


def test_of_a_table_that_does_not_fit_its_best_row_is_read(store: Store) -> None:
    [whole] = ask("How much water in 2023?", store, Scope.of(kinds=["table"])).contexts
    row, *_ = ask("How much water in 2023?", store, Scope.of(kinds=["table"]), Limits(9, whole.tokens - 1)).contexts
    assert (row.kind, row.text) == (Kind.SENTENCE, "Year: 2023; Water: 32")


def test_sections_only(store: Store) -> None:
    found = ask("How much water in 2023?", store, Scope.of(kinds=["section"]))
    assert {context.kind for context in found.contexts} == {Kind.SECTION}
    assert {context.document for context in found.contexts} == {"t", "p"}


def test_a_kind_that_is_not_there_finds_nothing(store: Store) -> None:
    assert ask("water", store, Scope.of(kinds=["code"])).contexts == ()


def test_a_document_whose_id_has_a_pattern_s_marks_is_named_by_it_alone() -> None:
    documents = [Document(id, id, (), "", "", 0, {}) for id in ("report1", "report[1]", "x*", "xy")]
    assert admitted(Scope.of(documents=["report[1]"]), documents) == {"report[1]"}
    assert admitted(Scope.of(without=["report[1]"]), documents) == {"report1", "x*", "xy"}
    assert admitted(Scope.of(documents=["x*"]), documents) == {"x*"}
    assert admitted(Scope.of(documents=["repor*"]), documents) == {"report1", "report[1]"}
