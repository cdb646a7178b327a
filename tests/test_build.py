"""Indexing: what is new, changed, gone, double or bad."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import LetterEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.blocks import Parsed
from indexer.build import build
from indexer.changes import candidates
from indexer.reading import Reading
from indexer.report import Progress, Report
from indexer.single import tree_of
from kohaku.errors import ReadError
from kohaku.store import Store
from kohaku.tree import Kind, Tier, Vectors


@pytest.fixture
def store(tmp_path: Path, embedder: LetterEmbedder) -> Iterator[Store]:
    with Store.create(tmp_path / "t.db", fingerprint=embedder.fingerprint, dimensions=embedder.dimensions) as opened:
        yield opened
        assert opened.check() == []


def write(name: str, text: str) -> str:
    """A file under in/, and the source it is stored under."""
    path = Path("in", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path.absolute())


def run(store: Store, embedder: LetterEmbedder, *paths: str, **options: Any) -> Report:
    return build(paths or ("in",), store, embedder, workers=1, **options)


def counts(report: Report) -> dict[str, int]:
    names = ("added", "replaced", "skipped", "removed", "duplicates", "gone")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def ids(store: Store) -> list[str]:
    return [document.id for document in store.documents()]


def texts(store: Store, id: str) -> list[str]:
    return [node.text for node in store.subtree(id) if node.tier is Tier.PARAGRAPH]


def test_a_folder_becomes_an_index(store: Store, embedder: LetterEmbedder) -> None:
    source = write("a.md", "# Title\n\nText is here.\n")
    report = run(store, embedder)
    assert counts(report) == {"added": 1}
    assert report.nodes == {"document": 1, "section": 1, "paragraph": 1, "sentence": 1}
    [document] = store.documents()
    assert (document.id, document.title, document.sources) == ("a", "Title", (source,))
    assert [node.kind for node in store.subtree("a")] == [Kind.DOCUMENT, Kind.SECTION, Kind.PARAGRAPH, Kind.SENTENCE]


def test_what_is_unchanged_is_neither_read_nor_embedded_again(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one.")
    write("b.md", "Text two.")
    run(store, embedder)
    embedder.passages.clear()
    assert counts(run(store, embedder)) == {"skipped": 2}
    assert embedder.passages == []


GERMAN = "Das Wasser des Sees stand im Sommer so tief wie lange nicht mehr, und die Fischer klagten. " * 9


def test_documents_in_other_languages_are_told_where_the_embedder_knows_english_only(
    store: Store, embedder: LetterEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("see.md", f"# See\n\n{GERMAN}\n")
    write("lake.md", f"# Lake\n\n{'The water of the lake was low in summer, and the fishermen complained. ' * 9}\n")
    write("kurz.md", "# Kurz\n\nZu wenig, um es zu sagen.\n")
    assert run(store, embedder).foreign == ()
    monkeypatch.setattr(LetterEmbedder, "is_english", True, raising=False)
    assert run(store, embedder, force=True).foreign == ("see",)


def test_force_reads_everything_again(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one.")
    run(store, embedder)
    assert counts(run(store, embedder, force=True)) == {"replaced": 1}


def test_a_changed_file_is_replaced_whole(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Old one.\n\nOld two.\n\nOld three.\n")
    run(store, embedder)
    source = write("a.md", "New.")
    assert counts(run(store, embedder)) == {"replaced": 1}
    assert texts(store, "a") == ["New."]
    assert store.documents()[0].sources == (source,)


def test_sentences_that_stay_in_a_changed_file_are_not_embedded_again(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "This stays. This goes.")
    run(store, embedder)
    embedder.passages.clear()
    write("a.md", "This stays. This comes.")
    run(store, embedder)
    assert embedder.passages == ["This comes."]


def test_other_settings_make_it_anew(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one. Text two.")
    run(store, embedder)
    assert counts(run(store, embedder, paragraph_vectors="direct")) == {"replaced": 1}


def test_files_that_are_gone_go_only_with_prune(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one.")
    write("b.md", "Text two.")
    run(store, embedder)
    Path("in/a.md").unlink()
    assert counts(run(store, embedder)) == {"skipped": 1, "gone": 1}
    assert counts(run(store, embedder, prune=True)) == {"skipped": 1, "removed": 1}
    assert ids(store) == ["b"]


def test_prune_touches_nothing_beyond_the_paths_given(store: Store, embedder: LetterEmbedder) -> None:
    write("one/a.md", "Text one.")
    write("two/b.md", "Text two.")
    run(store, embedder)
    Path("in/one/a.md").unlink()
    assert counts(run(store, embedder, "in/two", prune=True)) == {"skipped": 1}
    assert ids(store) == ["a", "b"]


def test_a_folder_that_is_not_there_prunes_nothing(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one.")
    run(store, embedder)
    Path("in").rename("away")
    report = run(store, embedder, prune=True)
    assert [reason for _, reason in report.failed] == ["no such file or folder"]
    assert ids(store) == ["a"]


def test_a_file_named_by_hand_that_is_gone_is_pruned(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one.")
    run(store, embedder)
    Path("in/a.md").unlink()
    report = run(store, embedder, "in/a.md", prune=True)
    assert (counts(report), report.failed) == ({"removed": 1}, ())


def test_one_content_under_two_names_is_stored_once(store: Store, embedder: LetterEmbedder) -> None:
    sources = write("a.md", "Same."), write("b.md", "Same.")
    assert counts(run(store, embedder)) == {"added": 1, "duplicates": 1}
    assert store.documents()[0].sources == sources
    assert counts(run(store, embedder)) == {"skipped": 2}
    third = write("c.md", "Same.")
    assert counts(run(store, embedder)) == {"skipped": 2, "duplicates": 1}
    assert store.documents()[0].sources == (*sources, third)


def test_a_name_whose_content_parts_from_anothers_becomes_a_document(store: Store, embedder: LetterEmbedder) -> None:
    one, two = write("a.md", "Same."), write("b.md", "Same.")
    run(store, embedder)
    write("a.md", "Other.")
    assert counts(run(store, embedder)) == {"added": 1, "skipped": 1}
    assert {document.sources: texts(store, document.id) for document in store.documents()} == {
        (one,): ["Other."],
        (two,): ["Same."],
    }


def test_two_names_that_part_both_ways_leave_nothing_behind(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Same.")
    write("b.md", "Same.")
    run(store, embedder)
    write("a.md", "Text one.")
    write("b.md", "Text two.")
    assert counts(run(store, embedder)) == {"replaced": 1, "added": 1}
    assert {id: texts(store, id) for id in ids(store)} == {"a": ["Text one."], "b": ["Text two."]}


def test_a_file_that_becomes_anothers_copy_takes_its_document_along(store: Store, embedder: LetterEmbedder) -> None:
    one, two = write("a.md", "Text one."), write("b.md", "Text two.")
    run(store, embedder)
    write("b.md", "Text one.")
    assert counts(run(store, embedder)) == {"skipped": 1, "duplicates": 1}
    assert [document.sources for document in store.documents()] == [(one, two)]


def test_a_renamed_file_keeps_its_document(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one.")
    run(store, embedder)
    new = Path("in/a.md").rename("in/new.md").absolute()
    embedder.passages.clear()
    run(store, embedder, prune=True)
    assert [(document.id, document.sources) for document in store.documents()] == [("a", (str(new),))]
    assert embedder.passages == []


def test_one_stem_in_two_folders_is_two_documents_with_lasting_ids(store: Store, embedder: LetterEmbedder) -> None:
    write("two/paper.md", "Text two.")
    run(store, embedder)
    write("one/paper.md", "Text one.")
    write("one/paper.txt", "Text three.")
    run(store, embedder)
    assert ids(store) == ["one/paper", "one/paper.txt", "paper"]
    assert texts(store, "paper") == ["Text two."]
    run(store, embedder, force=True)
    assert ids(store) == ["one/paper", "one/paper.txt", "paper"]


@given(st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=4))
def test_ids_offered_for_a_path_end_with_the_path(parts: list[str]) -> None:
    path = Path("/", *parts).with_suffix(".md")
    offered = list(candidates("wanted", path))
    assert (offered[0], offered[-1]) == ("wanted", str(path))


def test_an_id_may_hold_anything(store: Store, embedder: LetterEmbedder) -> None:
    for id in ("a:s1:p2", "x y/z", "%_'\"", "東京"):
        write(
            f"{len(id)}{ord(id[0])}.json", json.dumps({"document_id": id, "sections": [{"paragraphs": [f"On {id}."]}]})
        )
    run(store, embedder)
    assert ids(store) == sorted(["a:s1:p2", "x y/z", "%_'\"", "東京"])
    assert texts(store, "a:s1:p2") == ["On a:s1:p2."]


def test_a_metadata_row_names_and_describes_its_document(store: Store, embedder: LetterEmbedder) -> None:
    write("smith2020.md", "# Own title\n\nText.")
    Path("m.csv").write_text("id,title,year,url\nSmith2020,Given title,2020,\nother,x,1,y\n")
    run(store, embedder, metadata="m.csv")
    [document] = store.documents()
    assert (document.id, document.title, document.metadata) == ("Smith2020", "Given title", {"year": "2020"})
    assert counts(run(store, embedder, metadata="m.csv")) == {"skipped": 1}


def test_a_changed_row_is_stored_and_a_run_without_a_table_keeps_it(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text.")
    Path("m.csv").write_text("id,title,year\na,Given,2020\n")
    run(store, embedder, metadata="m.csv")
    Path("m.csv").write_text("id,title,year\na,Given,2021\n")
    embedder.passages.clear()
    assert counts(run(store, embedder, metadata="m.csv")) == {"replaced": 1}
    assert embedder.passages == []
    assert counts(run(store, embedder)) == {"skipped": 1}
    write("a.md", "Changed.")
    assert counts(run(store, embedder)) == {"replaced": 1}
    assert counts(run(store, embedder, metadata="m.csv")) == {"skipped": 1}
    [document] = store.documents()
    assert (document.title, document.metadata) == ("Given", {"year": "2021"})


def test_a_table_of_other_files_wipes_nothing_and_is_told(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text.")
    Path("m.csv").write_text("id,title\na,Given\n")
    run(store, embedder, metadata="m.csv")
    Path("other.csv").write_text("id,title\nb,Other\n")
    report = run(store, embedder, metadata="other.csv")
    assert counts(report) == {"skipped": 1} and "none of its 1 ids" in report.notes[0][1]
    assert [document.title for document in store.documents()] == ["Given"]


def test_a_row_that_comes_later_renames_its_document(store: Store, embedder: LetterEmbedder) -> None:
    write("A.md", "Text.")
    run(store, embedder)
    Path("m.csv").write_text("id,title\na,Given\n")
    assert counts(run(store, embedder, metadata="m.csv")) == {"replaced": 1}
    assert ids(store) == ["a"]


def test_a_bad_file_is_one_line_and_the_others_go_on(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text.")
    bad = write("b.json", "{")
    empty = write("c.txt", " \n")
    report = run(store, embedder, "in", "gone.md")
    assert counts(report) == {"added": 1}
    assert [path for path, _ in report.failed] == [str(Path("gone.md").absolute()), bad, empty]
    assert all("\n" not in reason for _, reason in report.failed)
    assert ids(store) == ["a"]


def test_of_a_bad_content_every_file_that_holds_it_is_named(store: Store, embedder: LetterEmbedder) -> None:
    copies = [write(name, '{"a": NaN,') for name in ("a.json", "b.json", "c.json")]
    assert [path for path, _ in run(store, embedder).failed] == copies


def test_of_a_file_that_turned_bad_the_old_version_stays(store: Store, embedder: LetterEmbedder) -> None:
    write("a.json", json.dumps({"sections": [{"paragraphs": ["Good."]}]}))
    run(store, embedder)
    write("a.json", "{")
    [(_, reason)] = run(store, embedder).failed
    assert reason.endswith("the version indexed before stays")
    assert texts(store, "a") == ["Good."]


def test_a_file_of_an_unknown_kind_named_by_hand_is_said(store: Store, embedder: LetterEmbedder) -> None:
    write("a.xyz", "x")
    [(_, reason)] = run(store, embedder, "in/a.xyz").failed
    assert reason.startswith("no reader for .xyz")


class Stops(LetterEmbedder):
    """Fails like a server that refuses, after so many documents."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().embed_passages(passages)


def test_a_run_that_was_stopped_goes_on_with_the_rest(store: Store, embedder: LetterEmbedder) -> None:
    for number in range(4):
        write(f"{number}.md", f"Text number {number}.")
    with pytest.raises(KeyboardInterrupt):
        run(store, Stops(2))
    assert ids(store) == ["0", "1"]
    assert counts(run(store, embedder)) == {"added": 2, "skipped": 2}
    assert embedder.passages == ["Text number 2.", "Text number 3."]


def test_figures_placeholders_are_not_embedded(store: Store, embedder: LetterEmbedder) -> None:
    image = {"text": "[Image page=1 idx=1] Size: 5x5, Data: 9 bytes", "metadata": {"attachment_type": "image"}}
    write("a.json", json.dumps({"sections": [{"title": "Page 1", "paragraphs": [{"text": "Words."}, image]}]}))
    run(store, embedder)
    assert embedder.passages == ["Words."]


def test_progress_counts_what_has_to_be_read(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Text one.")
    run(store, embedder)
    write("b.md", "Text two.")
    seen: list[Progress] = []
    run(store, embedder, progress=seen.append)
    assert seen == [Progress(0, 1, "b.md"), Progress(1, 1, "")]


def test_processes_give_what_one_process_gives(store: Store, embedder: LetterEmbedder) -> None:
    for number in range(6):
        write(f"{number}.md", f"# Head {number}\n\nText number {number}.")
    write("5b.json", "{")
    report = build(["in"], store, embedder, workers=2)
    assert (counts(report), len(report.failed)) == ({"added": 6}, 1)
    assert texts(store, "5") == ["Text number 5."]


def test_the_tree_of_a_file_needs_no_index() -> None:
    write("a.md", "# Title\n\nText.")
    tree, notes = tree_of("in/a.md")
    assert ([node.id for node in tree.nodes][-1], notes) == ("a:s1:p1:s1", ())
    assert not list(Path().glob("*.db"))


def test_a_reader_s_bug_is_told_as_the_file_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: Path, reading: Reading) -> Parsed:
        raise IndexError("list index out of range")

    monkeypatch.setattr("indexer.prepare.read", fails)
    with pytest.raises(ReadError, match="its reader failed: IndexError"):
        tree_of("in/a.md")


def test_paragraphs_may_have_vectors_of_their_own(store: Store, embedder: LetterEmbedder) -> None:
    write("a.md", "Aa bb cc. Dd.")
    run(store, embedder, paragraph_vectors="both")
    question = embedder.embed_questions(["Aa bb cc. Dd."])
    [[best]] = store.nearest(question, Tier.PARAGRAPH, 1)
    assert np.isclose(best.score, 1, atol=1e-3)


names = st.sampled_from(["a.md", "b.md", "x/a.md", "x/c.txt"])
contents = st.sampled_from(["Text one.", "Text two.", "Text three.", None])


@given(st.lists(st.dictionaries(names, contents), min_size=1, max_size=4))
@settings(deadline=None, max_examples=25)
def test_after_any_changes_the_index_is_what_the_files_are(steps: list[dict[str, str | None]]) -> None:
    embedder = LetterEmbedder()
    for left in Path("in").rglob("*.*") if Path("in").exists() else []:
        left.unlink()
    Path("in").mkdir(exist_ok=True)
    for suffix in ("", "-wal", "-shm"):
        Path(f"h.db{suffix}").unlink(missing_ok=True)
    with Store.create("h.db", fingerprint=embedder.fingerprint, dimensions=embedder.dimensions) as opened:
        for step in steps:
            for name, content in step.items():
                if content is None:
                    Path("in", name).unlink(missing_ok=True)
                else:
                    write(name, content)
            run(opened, embedder, prune=True)
            held = {os.path.abspath(path): path.read_text() for path in Path("in").rglob("*.*")}
            stored = {source: texts(opened, doc.id) for doc in opened.documents() for source in doc.sources}
            assert stored == {source: [content] for source, content in held.items()}
            assert len(opened.documents()) == len(set(held.values()))
            assert counts(run(opened, embedder, prune=True)) == ({"skipped": len(held)} if held else {})
        assert opened.check() == []
