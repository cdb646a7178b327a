"""Blocks → a tree: nodes in reading order with their places, pages, boxes and texts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce

from indexer.blocks import Block, Mark
from indexer.kept import Kept, keep
from indexer.lengths import EMPTY, Count, Length
from indexer.sentences import passages, pieces
from kohaku.rows import open_labels
from kohaku.tree import Box, Document, Kind, Node, Tier, Tree, shown

PASSAGE_TOKENS = 200  # the default embedder reads 256 of its own tokens, and it counts a few more than we do
UNTITLED = 1_000_000  # the level of text before the first heading: every heading ends it
DEEPEST = 32  # a section's text holds its subsections': an outline 5,000 levels deep would be stored 5,000 times
MARKER = re.compile(r"\s*(?:[-*+•]|\d+[.)]|\w[.)])\s+")
RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
TEXTS = (Tier.SECTION, Tier.PARAGRAPH)  # what a text is made of: sentences say the same again


Sentence = tuple[str, tuple[Box, ...]]


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph as it goes into the tree: a block, or as much of one as a model takes."""

    text: str
    sentences: tuple[Sentence, ...]
    boxes: tuple[Box, ...]


@dataclass(slots=True)
class Draft:
    """A node in the making. What its subtree adds to a document or a section is not known until that ends."""

    kind: Kind
    position: int
    parent: int | None
    id: str
    title: str = ""
    level: int = 0
    pages: tuple[int, int] | None = None
    boxes: tuple[Box, ...] = ()
    headings: tuple[str, ...] = ()
    image: str | None = None
    block_level: int = 0  # a section's as its reader gave it, which may jump
    sections: int = 0
    paragraphs: int = 0
    length: Length = EMPTY  # of its subtree's text so far


@dataclass(frozen=True, slots=True)
class Grown:
    """A document whose tree has grown: its nodes in the order in which they did, gone through anew each time."""

    document: Document
    nodes: Iterable[Node]
    images: Mapping[str, bytes]
    acronyms: Mapping[str, str]
    mentions: tuple[tuple[int, int], ...]

    def tree(self) -> Tree:
        """The whole tree."""
        return Tree(self.document, in_order(self.nodes), self.images, self.acronyms, self.mentions)


def is_inner(node: Node) -> bool:
    """Whether a node is the document or a section, whose text is that of what is in it."""
    return node.tier in (Tier.DOCUMENT, Tier.SECTION)


def in_order(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes that have grown in reading order, each with its whole text."""
    found = sorted(nodes, key=lambda node: node.position)
    return tuple(replace(node, text=_text_below(found, node)) if is_inner(node) else node for node in found)


def families(nodes: Iterable[Node]) -> Iterator[list[Node]]:
    """The nodes that have grown, each paragraph with its sentences, sections and the document alone."""
    family: list[Node] = []
    for node in nodes:
        if family and node.tier is not Tier.SENTENCE:
            yield family
            family = []
        family.append(node)
    if family:
        yield family


def _text_below(nodes: Sequence[Node], above: Node) -> str:
    """The text of a node's subtree in a tree: titles of sections, and paragraphs."""
    below = nodes[above.position + 1 : above.last + 1]
    parts = (node.title if node.tier is Tier.SECTION else node.text for node in below if node.tier in TEXTS)
    return "\n\n".join(filter(None, parts))


def grown(
    blocks: Iterable[Block],
    document: Document,
    images: dict[str, Kept],
    *,
    pages: int,
    count: Count,
    max_tokens: int,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[Node]:
    """A tree's nodes as soon as nothing is added to them: a section after all that is in it, the document last.

    These two are without their text, which `in_order` gives them; `tell` is told all of it piece by piece. No
    paragraph or sentence has more than `max_tokens`. A table's caption and head may make it longer: they are repeated
    in each of its parts. So may what a model says of a figure, which comes later (`captions.with_captions`). `pages` is
    how many the document has, 0 where it has none; `images` is given the blocks' pictures by hash.
    """
    growth = _Growth(document, count, max_tokens, tell)
    for block, following in _followed(blocks):
        if block.image:
            picture = keep(block.image)
            images[picture.hash] = picture
        yield from growth.add(block, following)
    yield from growth.end((1, pages) if pages else None)


def adopted(node: Node, document: Document) -> Node:
    """A node of a document without a name as another document's: its name in the id, its title on top."""
    title = node.title if node.position else document.title
    return replace(node, document=document.id, id=document.id + node.id, title=title)


def _followed(blocks: Iterable[Block]) -> Iterator[tuple[Block, Block | None]]:
    """Each block with the next."""
    before: Block | None = None
    for block in blocks:
        if before is not None:
            yield before, block
        before = block
    if before is not None:
        yield before, None


class _Growth:
    """A tree that grows block by block: the document and the sections that are open, and what they hold so far."""

    def __init__(self, document: Document, count: Count, max_tokens: int, tell: Callable[[str], None]) -> None:
        self._tell = tell
        # What is shown is a text more a node, and asked for twice only of a paragraph and its one sentence: none is
        # kept. A paragraph's and a sentence's own text is looked at several times.
        self._count_shown = lru_cache(maxsize=8)(count)
        self._count = lru_cache(maxsize=4096)(count)
        self._max_tokens = max_tokens
        self._document = document.id
        self._nodes = 1
        self._open = [Draft(Kind.DOCUMENT, 0, None, document.id, title=document.title)]  # outermost first

    def add(self, block: Block, following: Block | None) -> Iterator[Node]:
        """The nodes that are finished with this block."""
        if block.kind is Kind.SECTION:
            yield from self._begin(block)
            if following is None or (following.kind is Kind.SECTION and following.level <= block.level):
                # A heading with nothing under it may be all a page says: it is to be found too.
                yield from self._paragraphs(replace(block, kind=Kind.PARAGRAPH, level=0))
        else:
            if len(self._open) == 1:
                yield from self._begin(Block(Kind.SECTION, "", level=UNTITLED))
            yield from self._paragraphs(block)

    def end(self, pages: tuple[int, int] | None) -> Iterator[Node]:
        """The sections that are still open and the document, of which these are all pages where they are known."""
        while len(self._open) > 1:
            yield self._close()
        self._open[0].pages = pages or self._open[0].pages
        yield self._close()

    def _begin(self, block: Block) -> Iterator[Node]:
        """Begins a section under the last one that is of a higher level, however many levels that jumps."""
        level = max(block.level, 1)
        while len(self._open) > 1 and (self._open[-1].block_level >= level or len(self._open) > DEEPEST):
            yield self._close()
        above = self._open[-1]
        above.sections += level < UNTITLED
        boxes = _boxes(block.marks)
        self._tell(block.text)
        self._open.append(
            Draft(
                Kind.SECTION,
                self._nodes,
                above.position,
                f"{above.id}.{above.sections}" if above.position else f"{above.id}:s{above.sections}",
                block_level=level,
                title=block.text,
                level=len(self._open),
                pages=_pages(boxes, block.page),
                boxes=boxes,
                headings=(*above.headings, block.text) if block.text else above.headings,
            )
        )
        self._nodes += 1

    def _close(self) -> Node:
        """Ends the innermost section, or the document."""
        draft = self._open.pop()
        if self._open:
            above = self._open[-1]
            above.length = above.length.and_then(Length.of(draft.title, self._count)).and_then(draft.length)
            above.pages = _span(above.pages, draft.pages)
        tokens = draft.length.tokens
        return self._node(draft, "", self._nodes - 1, tokens, tokens + self._count_shown(shown(draft.headings, "")))

    def _paragraphs(self, block: Block) -> Iterator[Node]:
        """A paragraph, or several where it is too long, each with its sentences after it."""
        section = self._open[-1]
        image = keep(block.image).hash if block.image else None
        headings = section.headings
        for part in _parts(block, self._count, self._max_tokens):
            section.paragraphs += 1
            at, last = self._nodes, self._nodes + len(part.sentences)
            name = f"{section.id}:p{section.paragraphs}"
            own = _pages(part.boxes, block.page)
            spans = [_pages(boxes, None) or own for _, boxes in part.sentences]
            pages = reduce(_span, spans, own)
            section.pages = _span(section.pages, pages)
            self._tell(part.text)
            section.length = section.length.and_then(Length.of(part.text, self._count))
            draft = Draft(block.kind, at, section.position, name, block.title, 0, pages, part.boxes, headings, image)
            yield self._leaf(draft, part.text, last)
            for number, ((text, boxes), span) in enumerate(zip(part.sentences, spans, strict=True), start=1):
                draft = Draft(
                    Kind.SENTENCE, at + number, at, f"{name}:s{number}", pages=span, boxes=boxes, headings=headings
                )
                yield self._leaf(draft, text, at + number)
            self._nodes = last + 1

    def _leaf(self, draft: Draft, text: str, last: int) -> Node:
        """A paragraph or a sentence, which have their text."""
        return self._node(draft, text, last, self._count(text), self._count_shown(shown(draft.headings, text)))

    def _node(self, draft: Draft, text: str, last: int, tokens: int, shown_tokens: int) -> Node:
        return Node(
            document=self._document,
            position=draft.position,
            last=last,
            parent=draft.parent,
            kind=draft.kind,
            id=draft.id,
            text=text,
            tokens=tokens,
            title=draft.title,
            level=draft.level,
            pages=draft.pages,
            boxes=draft.boxes,
            headings=draft.headings,
            image=draft.image,
            shown_tokens=shown_tokens,
        )


# ---- paragraphs


def _parts(block: Block, count: Count, max_tokens: int) -> Iterator[Part]:
    """A block as paragraphs that a model takes whole."""
    if block.kind is Kind.TABLE:
        yield from _table_parts(block, count, max_tokens)
    elif block.title and block.title not in block.text:
        yield from _parts(_with_title(block), count, max_tokens)
    elif not block.text.strip():
        if block.image:
            yield Part("", (), _boxes(block.marks))
    elif block.sentences:
        yield from _given_parts(block, count, max_tokens)
    else:
        yield from _text_parts(block, count, max_tokens)


def _with_title(block: Block) -> Block:
    """The block with its caption as the first of its text."""
    shift = len(block.title) + 2
    marks = (mark._replace(start=mark.start + shift, end=mark.end + shift) for mark in block.marks)
    sentences = (block.title, *block.sentences) if block.sentences else ()
    return replace(block, text=f"{block.title}\n\n{block.text}", marks=tuple(marks), sentences=sentences)


def _text_parts(block: Block, count: Count, max_tokens: int) -> Iterator[Part]:
    """Running text, cut where sentences end; code is cut but has no sentences."""
    within = _Within(block.marks)
    start = 0
    for cut in passages(block.text, max_tokens, count):
        passage = "".join(cut)
        end = start + len(passage)
        sentences: list[Sentence] = []
        at = start
        for sentence in [] if block.kind is Kind.CODE else cut:
            if sentence.strip():
                sentences.append((sentence.strip(), within(at, at + len(sentence))))
            at += len(sentence)
        if passage.strip():
            text = passage.strip("\n") if block.kind is Kind.CODE else passage.strip()
            yield Part(text, tuple(sentences), within(start, end))
        start = end


def _given_parts(block: Block, count: Count, max_tokens: int) -> Iterator[Part]:
    """A list, or scraps of a figure: its lines go together as long as they fit, the reader's sentences with them."""
    within = _Within(block.marks)
    places = list(_places(block.text, block.sentences))
    sizes = [count(block.text[slice(*place)]) for place in places]
    for group in _groups(sizes, max_tokens):
        start, end = places[group[0]][0], places[group[-1]][1]
        if len(group) == len(block.sentences):
            start, end = 0, len(block.text)
        text = block.text[start:end].strip()
        sentences = tuple(
            (piece, within(*places[number]))
            for number in group
            for piece in _sentences(block.sentences[number], count, max_tokens)
        )
        if count(text) <= max_tokens or len(group) > 1:
            yield Part(text, sentences, within(start, end))
        else:
            yield from (Part(text, ((text, boxes),), boxes) for text, boxes in sentences)


def _table_parts(block: Block, count: Count, max_tokens: int) -> Iterator[Part]:
    """A table, in parts of whole rows where it is long.

    Each repeats the head, the labels over its first row, and what the caption begins with.
    """
    top, head, rows = _framed(block)
    room = max(max_tokens - count("\n".join([*top, *head])), max_tokens // 2)
    within = _Within(block.marks)
    everything = _boxes(block.marks)
    stretches = list(_rows(rows, block.sentences or rows, list(_places(block.text, rows)), count, room))
    above: list[str] = []
    for number, group in enumerate(_groups([count(row) for row, _, _ in stretches], room)):
        if number == 1:
            top = [pieces(line, max_tokens // 4, count)[0].strip() for line in top]
        lines = [stretches[at][0] for at in group]
        body = "\n".join([*head, *above, *lines])
        above = open_labels([*above, *lines])
        sentences = tuple(
            (piece, within(*stretches[at][2]) or everything)
            for at in group
            for piece in _sentences(stretches[at][1], count, max_tokens)
        )
        start = stretches[group[0]][2][0] if number else 0  # the first part has the head's and the caption's places
        boxes = within(start, stretches[group[-1]][2][1]) or everything
        yield Part("\n\n".join(filter(None, ["\n".join(top), body])), sentences, boxes)


def _framed(block: Block) -> tuple[list[str], list[str], list[str]]:
    """A table's text in three: caption and scale, head, rows."""
    lines = block.text.split("\n")
    rule = next((at for at, line in enumerate(lines) if RULE.fullmatch(line.strip())), 0)
    first = max(rule - 1, 0)
    top = [line for line in lines[:first] if line.strip()]
    if block.title and block.title not in block.text:
        top.insert(0, block.title)
    head, rows = (lines[first : rule + 1], lines[rule + 1 :]) if rule else ([], lines)
    if block.sentences and len(rows) != len(block.sentences):  # what a row is only the reader knows
        rows = list(block.sentences)
    return top, head, rows


def _rows(
    rows: Sequence[str], sentences: Sequence[str], places: Sequence[tuple[int, int]], count: Count, room: int
) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Each row with its sentence and its place; one that no paragraph has room for comes in pieces."""
    for row, sentence, place in zip(rows, sentences, places, strict=True):
        if count(row) <= room:
            yield row, sentence, place
        else:
            yield from ((piece, piece, place) for piece in pieces(sentence or row, room, count))


def _groups(tokens: Sequence[int], room: int) -> Iterator[list[int]]:
    """Numbers of neighbours that together have at most `room` tokens (or are one that has more)."""
    group: list[int] = []
    held = 0
    for number, size in enumerate(tokens):
        if group and held + size + 1 > room:  # 1: the line end
            yield group
            group, held = [], 0
        group.append(number)
        held += size + 1
    if group:
        yield group


def _places(text: str, sentences: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where in the text each sentence stands, however the white space differs; the whole text where it does not.

    >>> list(_places("- one\\n- two and\\nmore", ["one", "two and more"]))
    [(0, 5), (6, 20)]
    """
    letters = [at for at, character in enumerate(text) if not character.isspace()]
    squeezed = "".join(text[at] for at in letters)
    done = 0
    for sentence in sentences:
        wanted = "".join(sentence.split())
        found = squeezed.find(wanted, done) if wanted else -1
        if found < 0:
            yield 0, len(text)
            continue
        done = found + len(wanted)
        start = letters[found]
        line = text.rfind("\n", 0, start) + 1
        yield line if MARKER.fullmatch(text, line, start) else start, letters[done - 1] + 1


def _sentences(sentence: str, count: Count, max_tokens: int) -> list[str]:
    """A sentence that the reader gave, in pieces where it is longer than a model takes."""
    return [piece.strip() for piece in pieces(sentence, max_tokens, count) if piece.strip()]


# ---- pages and boxes


class _Within:
    """Finds the boxes of the marks that a stretch of a block's text overlaps."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        self.marks = sorted(marks, key=lambda mark: mark.start)
        self.starts = [mark.start for mark in self.marks]
        self.longest = max((mark.end - mark.start for mark in marks), default=0)

    def __call__(self, start: int, end: int) -> tuple[Box, ...]:
        candidates = self.marks[bisect_left(self.starts, start - self.longest) : bisect_left(self.starts, end)]
        return _boxes([mark for mark in candidates if mark.end > start])


def _boxes(marks: Sequence[Mark]) -> tuple[Box, ...]:
    return tuple(dict.fromkeys(mark.box for mark in marks))


def _pages(boxes: Sequence[Box], page: int | None) -> tuple[int, int] | None:
    if boxes:
        return min(box.page for box in boxes), max(box.page for box in boxes)
    return (page, page) if page is not None else None


def _span(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])
