"""A saved forum thread, as Reddit's JSON has it → blocks.

Two forms are read: the list of two listings (the post's, the comments') that reddit.com gives for an address that ends
in .json, and an object with the post's fields and its comments, as programs that save threads write it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from indexer.blocks import Block, Parsed
from indexer.clean import clean
from kohaku.errors import ReadError
from kohaku.tree import Kind

# What a question is answered from stands in the best comments and in what was said to them at once; the long tail is
# jokes and thanks, and would outweigh the post in every mean of vectors. 5 with 3 and 2 is what HiFi-RAG takes.
COMMENTS = 5
REPLIES = (3, 2)  # of each comment, of each of its replies
MOST_SHOWN = 300  # characters of a title or name
GONE = frozenset({"[deleted]", "[removed]", "[deleted by user]", "[removed by reddit]", "[ removed by reddit ]"})
POSTS, BODIES = ("post", "submission", "thread"), ("selftext", "body", "text", "content")
YEARS = (1990, 2200)  # a year outside of them is no post's


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment or a post's own text: by whom, how many points (None: not known or hidden), and what was replied."""

    author: str
    score: int | None
    text: str
    replies: Sequence[Any] = ()


def is_thread(content: object) -> bool:
    """Whether JSON is a saved thread, whole or not, rather than a document."""
    if isinstance(content, list):
        return any(_is_listing(part) for part in content[:2])
    if not isinstance(content, dict) or "sections" in content:
        return False
    if _is_listing(content) or isinstance(content.get("comments"), list) or _is_listing(content.get("comments")):
        return True
    return content.get("kind") == "t3" and isinstance(content.get("data"), dict)


def parse(content: object) -> Parsed:
    """A thread as a tree: the post, its best comments, the best replies to these; ReadError where there is no post."""
    posts, comments = _parts(content)
    if not any(_title(post) or _comment(post).text for post in posts) and not _best(comments, 1):
        raise ReadError("a forum thread without a post: save its page's address with .json at the end")
    blocks: list[Block] = []
    for number, post in enumerate(posts):
        found = comments if number == 0 and comments else _items(post.get("comments"))
        blocks += [*_post(post), *_comments(found, COMMENTS, 2)]
    return Parsed(title=_title(posts[0]), blocks=tuple(blocks), metadata=_metadata(posts[0]))


# ---- the two forms


def _parts(content: object) -> tuple[list[Mapping[str, Any]], list[Any]]:
    """The posts' fields, and the comments on them where they stand apart."""
    parts = content if isinstance(content, list) else [content]
    if len(parts) == 1 and isinstance(parts[0], dict) and not _is_listing(parts[0]):
        whole = parts[0]
        inner = next((whole[name] for name in POSTS if isinstance(whole.get(name), dict)), whole)
        return [_fields(inner)], _items(whole.get("comments"))
    items = [_items(part) for part in parts]
    posts = [_fields(item) for found in items for item in found if _kind(item) == "t3"]
    return posts, [item for found in items for item in found if _kind(item) == "t1"]


def _is_listing(part: object) -> bool:
    return isinstance(part, dict) and part.get("kind") == "Listing" and isinstance(part.get("data"), dict)


def _items(part: object) -> list[Any]:
    """What a listing, or a bare list, holds; nothing where it is neither ("" stands for no replies)."""
    if _is_listing(part):
        assert isinstance(part, dict)
        part = part["data"].get("children")
    if not isinstance(part, list):
        return []
    return [{"body": item} if isinstance(item, str) else item for item in part if isinstance(item, dict | str)]


def _kind(item: Mapping[str, Any]) -> str:
    """t3 for a post, t1 for a comment, "more" for comments that were not saved."""
    kind = item.get("kind")
    return kind if isinstance(kind, str) else ""


def _fields(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A thing's fields, which listings put under "data"."""
    inner = item.get("data")
    return inner if isinstance(inner, dict) else item


# ---- the post


def _post(post: Mapping[str, Any]) -> Iterator[Block]:
    said = _comment(post)
    yield Block(Kind.SECTION, _title(post) or "Untitled thread", level=1)
    yield Block(Kind.PARAGRAPH, _provenance(post, said))
    if said.text:
        yield from _text(said.text)


def _title(post: Mapping[str, Any]) -> str:
    return clean(html.unescape(_string(post, "title")[:MOST_SHOWN]))


def _provenance(post: Mapping[str, Any], said: Comment) -> str:
    """Where, by whom and when a thread was begun, in a sentence."""
    forum = _name(post, "subreddit")
    date = _date(post)
    count = _whole(post.get("num_comments"))
    facts = [
        f"Posted{f' in r/{forum}' if forum else ''} by {said.author}{f' on {date:%Y-%m-%d}' if date else ''}",
        _points(said.score) if said.score is not None else "",
        f"{count} comment{'' if count == 1 else 's'}" if count is not None else "",
    ]
    link = _string(post, "url")
    away = link if link.startswith("http") and _string(post, "permalink") not in link and not said.text else ""
    return clean(", ".join(filter(None, facts)) + "." + (f" Link: {away[:2000]}" if away else ""))


def _metadata(post: Mapping[str, Any]) -> dict[str, str]:
    permalink, date = _string(post, "permalink"), _date(post)
    found = {
        "type": "forum thread",
        "year": str(date.year) if date else "",
        "url": clean(f"https://www.reddit.com{permalink}" if permalink.startswith("/") else permalink)[:2000],
    }
    return {name: text for name, text in found.items() if text}


def _date(post: Mapping[str, Any]) -> datetime | None:
    seconds = post.get("created_utc") or post.get("created")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds < 2**33:
        return None
    date = datetime.fromtimestamp(seconds, UTC)
    return date if YEARS[0] <= date.year <= YEARS[1] else None


# ---- comments


def _comments(items: Sequence[Any], most: int, level: int, to: str = "") -> Iterator[Block]:
    """The best comments, each a section of its own with the best replies to it inside."""
    for comment in _best(items, most):
        kind = f"Reply to {to} by" if to else "Comment by"
        points = f", {_points(comment.score)}" if comment.score is not None else ""
        yield Block(Kind.SECTION, f"{kind} {comment.author}{points}", level=level)
        yield from _text(comment.text)
        if level - 2 < len(REPLIES):
            yield from _comments(comment.replies, REPLIES[level - 2], level + 1, comment.author)


def _best(items: Sequence[Any], most: int) -> list[Comment]:
    """The comments of the highest scores, those of one score in the thread's order."""
    found = [_comment(_fields(item)) for item in items if _kind(item) != "more" and not _is_notice(_fields(item))]
    said = [comment for comment in found if comment.text]
    return sorted(said, key=lambda comment: -(comment.score or 0))[:most]


def _is_notice(fields: Mapping[str, Any]) -> bool:
    """Whether a comment is the moderators' pinned one: rules, not a reply."""
    return fields.get("stickied") is True and fields.get("distinguished") == "moderator"


def _comment(fields: Mapping[str, Any]) -> Comment:
    text = next((text for name in BODIES if (text := _string(fields, name))), "")
    score = None if fields.get("score_hidden") is True else _whole(fields.get("score", fields.get("ups")))
    replies = next((fields[name] for name in ("replies", "children", "comments") if fields.get(name)), ())
    return Comment(
        author=_name(fields, "author") or "a deleted user",
        score=score,
        text="" if clean(text).casefold() in GONE else html.unescape(text),
        replies=_items(replies),
    )


def _name(fields: Mapping[str, Any], key: str) -> str:
    given = fields.get(key)
    name = _string(given, "name") if isinstance(given, dict) else _string(fields, key)
    return "" if name.casefold() in GONE else clean(name[:MOST_SHOWN])


def _points(score: int) -> str:
    return f"{score} point{'' if score == 1 else 's'}"


def _whole(value: object) -> int | None:
    """A whole number where there is one; scores of more than nine digits are none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if abs(value) < 10**9 else None


def _string(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _text(source: str) -> Iterator[Block]:
    """What somebody wrote, in Markdown; their headings are no sections of the thread."""
    from indexer.readers import markdown  # its library, whenever JSON is read, would take longer than a paper

    for block in markdown.parse(source).blocks:
        yield replace(block, kind=Kind.PARAGRAPH, level=0) if block.kind is Kind.SECTION else block
