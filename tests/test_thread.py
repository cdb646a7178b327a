"""Saved forum threads: the post, its best comments and the best replies to them become a tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from grown import grow
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.blocks import Parsed
from indexer.readers import document_json, read, thread
from kohaku.errors import ReadError
from kohaku.tree import Document, Kind


def listing(*children: Any) -> dict[str, Any]:
    return {"kind": "Listing", "data": {"children": list(children)}}


def comment(body: str, score: Any = 1, *replies: Any, author: str = "bo", **more: Any) -> dict[str, Any]:
    fields = {"body": body, "score": score, "author": author, "replies": listing(*replies) if replies else "", **more}
    return {"kind": "t1", "data": fields}


def post(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "t3",
        "data": {"title": "How hot?", "selftext": "Tell *me*.", "author": "ann", "score": 12, **fields},
    }


def shown(found: Parsed) -> list[tuple[str, str]]:
    return [
        (f"h{block.level}" if block.kind is Kind.SECTION else block.kind.value, block.text) for block in found.blocks
    ]


def test_a_thread_is_its_post_with_the_comments_and_replies_below_it(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    more = {"kind": "more", "data": {"children": ["x"]}}
    about = {"subreddit": "energy", "created_utc": 1700000000.0, "permalink": "/r/energy/1/", "num_comments": 3}
    saved = [
        listing(post(**about)),
        listing(comment("Very.", 5, comment("Is it?", 1, comment("Yes.", -2, author="di"), author="cy")), more),
    ]
    file.write_text(json.dumps(saved))
    found = read(file)
    assert (found.title, found.metadata) == (
        "How hot?",
        {"type": "forum thread", "year": "2023", "url": "https://www.reddit.com/r/energy/1/"},
    )
    assert shown(found) == [
        ("h1", "How hot?"),
        ("paragraph", "Posted in r/energy by ann on 2023-11-14, 12 points, 3 comments."),
        ("paragraph", "Tell me."),
        ("h2", "Comment by bo, 5 points"),
        ("paragraph", "Very."),
        ("h3", "Reply to bo by cy, 1 point"),
        ("paragraph", "Is it?"),
        ("h4", "Reply to cy by di, -2 points"),
        ("paragraph", "Yes."),
    ]


def test_the_best_comments_and_replies_are_kept() -> None:
    replies = [comment(f"r{n}", n, *(comment(f"rr{m}", m) for m in range(4))) for n in range(5)]
    comments = [comment(f"c{n}", n, *(replies if n == 7 else ())) for n in range(9)]
    texts = [text for kind, text in shown(thread.parse([listing(post()), listing(*comments)])) if kind == "paragraph"]
    assert texts[2:] == [
        "c8", "c7", "r4", "rr3", "rr2", "r3", "rr3", "rr2", "r2", "rr3", "rr2", "c6", "c5", "c4",
    ]  # fmt: skip


def test_what_was_deleted_and_the_moderators_notice_are_left_out() -> None:
    comments = [
        comment("[deleted]", 99, author="[deleted]"),
        comment("[removed]", 98, comment("an answer to nothing", 3)),
        comment("Read the rules.", 1, author="AutoModerator", stickied=True, distinguished="moderator"),
        comment("Still here.", 2, author="[deleted]"),
    ]
    found = thread.parse([listing(post(selftext="[removed]")), listing(*comments)])
    assert shown(found)[2:] == [("h2", "Comment by a deleted user, 2 points"), ("paragraph", "Still here.")]


def test_a_comment_is_markdown_and_its_headings_are_no_sections() -> None:
    found = thread.parse([listing(post()), listing(comment("# Loud\n\n&gt; quoted &amp; so\n\n- a\n- b\n", "many"))])
    assert shown(found)[3:] == [
        ("h2", "Comment by bo"),
        ("paragraph", "Loud"),
        ("quote", "quoted & so"),
        ("list", "- a\n- b"),
    ]


@pytest.mark.parametrize(
    "saved",
    [
        {"title": "How hot?", "author": "ann", "comments": [{"body": "Very.", "author": "bo", "score": 5}]},
        {"post": {"title": "How hot?"}, "comments": [{"author": {"name": "bo"}, "text": "Very.", "ups": 5}]},
        {"submission": post(), "comments": listing(comment("Very.", 5))},
        {**post(), "comments": [comment("Very.", 5)]},
    ],
)
def test_a_thread_as_an_object_is_read_too(saved: dict[str, Any]) -> None:
    assert thread.is_thread(saved)
    found = shown(thread.parse(saved))
    assert found[0] == ("h1", "How hot?")
    assert found[-2:] == [("h2", "Comment by bo, 5 points"), ("paragraph", "Very.")]


@pytest.mark.parametrize("saved", [[listing()], [listing(), listing()], {"comments": []}, [listing(1, None, [])]])
def test_a_thread_without_a_post_is_told(saved: Any) -> None:
    with pytest.raises(ReadError, match="without a post"):
        thread.parse(saved)


NAMES = st.sampled_from(
    [
        "kind",
        "data",
        "children",
        "title",
        "selftext",
        "body",
        "author",
        "score",
        "replies",
        "comments",
        "post",
        "created_utc",
        "permalink",
        "url",
        "subreddit",
        "sections",
    ]
)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["Listing", "t1", "t3", "more"])
)
ANY = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=30
)


@settings(deadline=None)
@given(ANY)
def test_any_json_is_a_tree_or_a_read_error(content: Any) -> None:
    try:
        parsed = thread.parse(content) if thread.is_thread(content) else document_json.parse(content)
    except ReadError as error:
        assert "\n" not in str(error)
        return
    grow(parsed, Document("d", parsed.title, (), "", ""), count=lambda text: len(text.split()))


@settings(deadline=None)
@given(ANY, ANY)
def test_a_thread_of_odd_things_is_a_tree(fields: Any, more: Any) -> None:
    saved = [
        listing(post(created_utc=more, score=fields, url=more)),
        listing({"kind": "t1", "data": fields}, comment("c", more, more)),
    ]
    grow(thread.parse(saved), Document("d", "", (), "", ""), count=lambda text: len(text.split()))
