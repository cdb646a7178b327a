"""Headings and paragraphs from lines of plain text, where there is no layout to go by: text files, parsers' pages.

Only what the lines themselves make clear: numbered and well-known headings, captions, bullets, lines that end short
after a full stop, lines that repeat at the edges of pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from indexer.blocks import Block
from indexer.clean import clean, dehyphenate, words
from indexer.numerals import roman
from indexer.sentences import split
from indexer.tables import names_columns, table
from kohaku.rows import cells_of
from kohaku.tree import Kind

Page = tuple[int | None, str]

EDGE = 3  # lines at the top and bottom of a page that may be its head or foot
REPEATS = 3  # pages a line must stand on to be one
SHORT = 0.8  # of the usual width: a line that ends there by itself, not by the margin
RAGGED = 0.6  # of it: a line of a table, a figure or a narrow column
LONG_LINE = 200  # characters: no line break within a paragraph comes after so many
HEADING_WORDS = 14
LABEL = 14  # characters: no more than "Table 12.3:" alone has
SENTENCE_WORDS = 8  # a scrap of a table or figure is given with its neighbours, up to about so many words

NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?P<title>\S.*)")
LETTERED = re.compile(r"(?P<number>[A-Z](?:\.\d{1,2}){0,3})(?P<dot>\.?)\s+(?P<title>\S.*)")
ROMAN = re.compile(r"(?P<number>[IVX]{1,5})\.\s+(?P<title>\S.*)")
APPENDIX = re.compile(r"Appendix(?:es)?(?:\s+[A-Z0-9]{1,2})?(?:[.:]?\s.*)?", re.IGNORECASE)
WELL_KNOWN_HEADINGS = """
    abstract|summary|executive summary|introduction|background|related work|related works|motivation|preliminaries
    method|methods|methodology|materials and methods|experiments|experimental setup|evaluation|results
    results and discussion|discussion|limitations|conclusion|conclusions|conclusion and future work
    conclusions and future work|future work|acknowledgments|acknowledgements|acknowledgment|acknowledgement
    references|bibliography|ethics statement|ethical considerations|broader impact|impact statement|appendix
    appendices|supplementary material|glossary|contents|table of contents|foreword|preface|about this report
    摘要|引言|结论|結論|参考文献|附录
"""
CLOSING = frozenset({"references", "bibliography", "参考文献"})
WELL_KNOWN = frozenset(re.split(r"[|\n]\s*", WELL_KNOWN_HEADINGS.strip()))
SPACED_CAPITALS = re.compile(r"\b([A-Z]) ([A-Z]{2,})")  # small capitals, as some parsers give them
CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Tab\.|Algorithm|Listing|Exhibit|Chart|Box)\s+[A-Z]?\d+(?:\.\d+)?\s?[.:|]")
TABLE_CAPTION = re.compile(r"Tab(?:le|\.)")
BULLET = re.compile(r"[•●▪◦■►‣·∙–—*-]\s+\S")
MARKER = re.compile(r"[•●▪◦■►‣·∙–—*-]\s+")
SENTENCE_END = re.compile(
    r"(?:[.!?:;。！？][\"'”’)\]]*|(?<=[^\W\d][.!?])\s?\[?\d{1,3}\]?)$"
)  # perhaps with a note's number
DRAWN = re.compile(r"(?=.*[-=*_~#+^]{2}|(?:[-=*_~#] ){2})[-=*_~#+^:|\s]{3,}")  # a rule, or a border of a table
UNDERLINE = re.compile(r"([-=*_~#+^])\1{2,}")
PIPED = re.compile(r"\|.*\|")
STAMP = re.compile(r"arXiv:\d{4}\.\d{4,5}\S*.*")  # stands upright beside the first page's text
NUMBER = re.compile(r"[$€£~<>±(]*[-−]?\d[\d,.]*\s?(?:%|[xX×]|[kMBKGT]?)[)*†]*")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, cleaned, with the page it stands on; empty where paragraphs are apart.

    `level` is the depth of a head that its author drew or set apart, 0 for other lines.
    """

    text: str
    page: int | None
    level: int = 0


def pages_to_blocks(pages: Sequence[Page]) -> list[Block]:
    """Pages of text, with their numbers where they have some, as blocks in reading order."""
    return lines_to_blocks(pages_to_lines(pages))


def pages_to_lines(pages: Sequence[Page]) -> list[list[Line]]:
    """Pages of text as cleaned lines, without heads and feet, underlined heads marked as such."""
    cut = without_furniture([(number, [clean(line) for line in text.splitlines()]) for number, text in pages])
    styles: list[str] = []
    return [with_drawn_heads([Line(line, number) for line in lines], styles) for number, lines in cut]


def lines_to_blocks(pages: Sequence[Sequence[Line]]) -> list[Block]:
    """Pages of lines as blocks in reading order."""
    vocabulary = words(line.text for lines in pages for line in lines)
    blocks: list[Block] = []
    outline = Outline()
    for lines in pages:
        found, outline = page_to_blocks(lines, vocabulary, outline)
        blocks += found
    return blocks


# ---- heads and feet


def without_furniture(pages: Sequence[tuple[int | None, list[str]]]) -> list[tuple[int | None, list[str]]]:
    """The pages without heads, feet and page numbers: lines at their edges that many pages share but for digits."""
    shared = Counter(mask for _, lines in pages for mask in {_masked(line) for line in _edges(lines)})
    offset = _numbering(pages)

    def is_furniture(line: str, page: int | None) -> bool:
        if _is_number(line):
            return page is not None and int(line) - page in offset
        return STAMP.fullmatch(line) is not None or (shared[_masked(line)] >= REPEATS and not CAPTION.match(line))

    return [(page, _trimmed(lines, [is_furniture(line, page) for line in lines])) for page, lines in pages]


def _edges(lines: Sequence[str]) -> list[str]:
    filled = [line for line in lines if line]
    return [line for line in {*filled[:EDGE], *filled[-EDGE:]} if not _is_number(line)]


def _is_number(line: str) -> bool:
    """Whether a line is but a number that a page may bear."""
    return line.isdecimal() and len(line) < 5


def _masked(line: str) -> str:
    return re.sub(r"\d+", "#", line.lower())


def _numbering(pages: Sequence[tuple[int | None, list[str]]]) -> set[int]:
    """What is added to a page's place to give the number printed on it, where several pages agree."""
    offsets: Counter[int] = Counter()
    for page, lines in pages:
        filled = [line for line in lines if line]
        edge = {*filled[:EDGE], *filled[-EDGE:]}
        offsets.update({int(line) - page for line in edge if page is not None and _is_number(line)})
    return {0} | {offset for offset, count in offsets.most_common(1) if count >= REPEATS}


def _trimmed(lines: list[str], furniture: Sequence[bool]) -> list[str]:
    """The lines without furniture among the outermost ones."""
    filled = [at for at, line in enumerate(lines) if line]
    drop = {at for at in (*filled[:EDGE], *filled[-EDGE:]) if furniture[at]}
    return [line for at, line in enumerate(lines) if at not in drop]


# ---- headings


def with_drawn_heads(lines: Sequence[Line], styles: list[str]) -> list[Line]:
    """The lines, those that are underlined as heads, whatever is only drawn being gone.

    `styles` are the ways of drawing met so far, outermost first, to which new ones are added.
    """
    result: list[Line] = []
    for at, line in enumerate(lines):
        before, after = (lines[at - 1].text if at else ""), (lines[at + 1].text if at + 1 < len(lines) else "")
        if DRAWN.fullmatch(line.text):
            result += [] if "+" in line.text or "|" in line.text else [replace(line, text="")]
        elif UNDERLINE.fullmatch(after) and not (before and not DRAWN.fullmatch(before)) and _is_drawn(lines, at):
            style = after[0] * (2 if before[:1] == after[0] else 1)  # overlined too
            if style not in styles:
                styles.append(style)
            result.append(replace(line, level=styles.index(style) + 1))
        else:
            result.append(line)
    return result


def _is_drawn(lines: Sequence[Line], at: int) -> bool:
    """Whether a line over a rule reads as a head: short, of words, about as long as the rule, no head of a table."""
    text, rule = lines[at].text, lines[at + 1].text
    follows = lines[at + 2].text if at + 2 < len(lines) else ""
    if len(text.split()) > HEADING_WORDS or not any(map(str.isalpha, text)) or "|" in text or _row(follows):
        return False
    return len(text) * 0.5 <= len(rule) <= len(text) * 2 + 4


@dataclass(frozen=True, slots=True)
class Outline:
    """The number of the last numbered heading and how such numbers are written, which tell what may come next."""

    number: tuple[int, ...] = ()
    style: str = ""  # arabic, roman (I., then A.) or appendix (A, then A.1); empty before the first
    closed: bool = False  # the references have begun: only an appendix may follow

    def follows(self, number: tuple[int, ...]) -> bool:
        """Whether that number may come next: the following one, the first below it, or one after a gap of one.

        >>> [Outline((2, 1)).follows(number) for number in ((2, 2), (2, 1, 1), (3,), (7,))]
        [True, True, True, False]
        """
        depth, here = len(number), len(self.number)
        if depth > here:
            return number[:here] == self.number and all(part <= 2 for part in number[here:])
        return number[:-1] == self.number[: depth - 1] and 1 <= number[-1] - self.number[depth - 1] <= 2


def heading(text: str, outline: Outline) -> tuple[str, int, Outline] | None:
    """A heading's text, its depth and the outline after it; None for a line that is none.

    >>> heading("2.1 Related Work", Outline((2,), "arabic"))
    ('2.1 Related Work', 2, Outline(number=(2, 1), style='arabic', closed=False))
    """
    text = _whole_capitals(text)
    if _bare(text) in WELL_KNOWN:
        return text, 1, replace(outline, closed=outline.closed or _bare(text) in CLOSING)
    if len(text.split()) > HEADING_WORDS or (SENTENCE_END.search(text) and not text.endswith((":", "?"))):
        return None
    if APPENDIX.fullmatch(text):
        return text, 1, Outline((), "appendix", closed=True)
    for style, number, title in _numberings(text, outline):
        if _is_title(title) and (number[0] <= 2 if style != outline.style else outline.follows(number)):
            unnumbered = _bare(_whole_capitals(title))
            closed = outline.closed or unnumbered in CLOSING
            return text, len(number), Outline(number, style, closed)
    return None


def _numberings(text: str, outline: Outline) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """The ways to read a line as a number and a title: (style, number, title)."""
    if (found := LETTERED.fullmatch(text)) and outline.closed and not found["dot"]:
        first, *rest = found["number"].split(".")
        yield "appendix", (ord(first) - 64, *map(int, rest)), found["title"]
    if outline.closed:
        return
    if found := ROMAN.fullmatch(text):
        yield "roman", (roman(found["number"]),), found["title"]
    if (found := LETTERED.fullmatch(text)) and outline.style == "roman" and len(found["number"]) == 1:
        yield "roman", (outline.number[0], ord(found["number"]) - 64), found["title"]
    if found := NUMBERED.fullmatch(text):
        yield "arabic", tuple(map(int, found["number"].split("."))), found["title"]


def _whole_capitals(text: str) -> str:
    """A line in small capitals as it would be typed: some parsers part them.

    >>> _whole_capitals("III. E XPERIMENTAL SETUP"), _whole_capitals("A REVIEW")
    ('III. EXPERIMENTAL SETUP', 'A REVIEW')
    """
    return SPACED_CAPITALS.sub(_joined_capitals, text) if text.upper() == text else text


def _joined_capitals(found: re.Match[str]) -> str:
    is_word = found[1] in "AI" and (found[1] + found[2]).casefold() not in WELL_KNOWN
    return found[0] if is_word else found[1] + found[2]


def _bare(text: str) -> str:
    return text.rstrip(":.").casefold()


def _is_title(text: str) -> bool:
    """Whether words read as a title: begun with a capital, mostly letters, nothing that only running text has."""
    if not (text[0].isupper() or text[0] > "\u2e80") or "://" in text or "@" in text or text.count(",") > 2:
        return False
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return letters >= 3 and letters >= 0.8 * len(text) and not re.search(r"\d\s*$", text)


# ---- paragraphs


def page_to_blocks(lines: Sequence[Line], vocabulary: set[str], outline: Outline) -> tuple[list[Block], Outline]:
    """The blocks of a page's lines, and the outline after them."""
    width = _width(lines)
    blocks: list[Block] = []
    held: list[Line] = []
    before = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.level or PIPED.fullmatch(line.text):
            blocks += _blocks(held, vocabulary, width)
            held, before = [], ""
        if line.level:
            numbered = heading(line.text, outline)
            outline = numbered[2] if numbered else outline
            blocks.append(Block(Kind.SECTION, line.text, level=line.level, page=line.page))
            at += 1
            continue
        rows = _piped(lines, at)
        if rows:
            blocks.append(_drawn_table(lines[at : at + rows]))
            at += rows
            continue
        found = heading(line.text, outline) if line.text and _may_begin(before, width) else None
        wraps = found is not None and _wraps(lines, at, width)
        if found and at < len(lines) - 1 and (wraps or not _goes_on(lines[at + 1].text)):
            blocks += _blocks(held, vocabulary, width)
            held = []
            title, level, outline = found
            if wraps:
                at += 1
                title = f"{title} {lines[at].text}"
            blocks.append(Block(Kind.SECTION, title, level=level, page=line.page))
            before = ""
        else:
            if held and _apart(held, line.text, width):
                blocks += _blocks(held, vocabulary, width)
                held = []
            held += [line] if line.text else []
            before = line.text
        at += 1
    return _with_tables(blocks + _blocks(held, vocabulary, width)), outline


def _piped(lines: Sequence[Line], at: int) -> int:
    """How many lines from here on are a table drawn with bars, as Markdown has it; 0 where they are none."""
    end = at
    while end < len(lines) and PIPED.fullmatch(lines[end].text):
        end += 1
    return end - at if end - at > 1 and lines[at].text.count("|") > 2 else 0


def _drawn_table(lines: Sequence[Line]) -> Block:
    rows = [cells_of(line.text)[1] for line in lines]
    return replace(table(rows, headers=int(names_columns(rows[0]))), page=lines[0].page)


def _width(lines: Iterable[Line]) -> int:
    """How long a full line is here: most lines are not longer."""
    lengths = sorted(len(line.text) for line in lines if line.text)
    return lengths[len(lengths) * 9 // 10] if lengths else 0


def _may_begin(before: str, width: int) -> bool:
    """Whether something new may begin after that line: it did not run on to the margin in mid-sentence."""
    return len(before) < RAGGED * width or SENTENCE_END.search(before) is not None


def _wraps(lines: Sequence[Line], at: int, width: int) -> bool:
    """Whether a heading goes on in the next line: a full one, followed by a short one that is no sentence's begin."""
    if at + 2 >= len(lines) or len(lines[at].text) < RAGGED * width:
        return False
    following, after = lines[at + 1].text, lines[at + 2].text
    short = 0 < len(following) < RAGGED * width and not SENTENCE_END.search(following)
    return short and len(after) > SHORT * width and not NUMBERED.fullmatch(following)


def _goes_on(text: str) -> bool:
    """Whether a line begins in mid-sentence."""
    return text[:1].islower()


def _apart(held: Sequence[Line], following: str, width: int) -> bool:
    """Whether a paragraph ends between the lines it has so far and the one that follows."""
    line = held[-1].text
    if not following or len(line) > LONG_LINE or CAPTION.match(following) or BULLET.match(following):
        return True
    ended = SENTENCE_END.search(line) is not None
    if CAPTION.match(held[0].text) and ended:
        return len(line) < SHORT * width or _goes_on(following)  # the text that the figure interrupts
    if _scrap(line, width) != _scrap(following, width):
        return ended or len(held) > 2 or _row(line) or _row(following)
    return ended and len(line) < SHORT * width and not _goes_on(following)


def _scrap(line: str, width: int) -> bool:
    """Whether a line is part of a table or figure rather than of running text."""
    return (len(line) < RAGGED * width and not SENTENCE_END.search(line)) or _row(line)


@lru_cache(maxsize=1024)  # a line is looked at beside the one before and the one after it, and with its paragraph
def _row(line: str) -> bool:
    """Whether a line looks like a table's row: several numbers among few words."""
    cells = line.split()
    numbers = sum(NUMBER.fullmatch(cell) is not None for cell in cells)
    return numbers >= 2 and numbers * 3 >= len(cells)


def _blocks(lines: Sequence[Line], vocabulary: set[str], width: int) -> list[Block]:
    """The lines of one paragraph as a block: running text joined, scraps of tables and figures kept line by line."""
    texts = [line.text for line in lines]
    if not texts:
        return []
    scraps = sum(_scrap(text, width) for text in texts)
    if len(texts) > 1 and scraps * 2 > len(texts) and not (BULLET.match(texts[0]) or CAPTION.match(texts[0])):
        whole = _whole_words(texts, vocabulary)
        return [Block(Kind.PARAGRAPH, "\n".join(whole), page=lines[0].page, sentences=tuple(_rows(whole)))]
    text = dehyphenate(texts, vocabulary)
    return [Block(Kind.PARAGRAPH, text, page=lines[0].page)]


def _whole_words(texts: Sequence[str], vocabulary: set[str]) -> list[str]:
    """The lines, those joined between which a word was cut."""
    lines: list[str] = []
    for text in texts:
        if lines and lines[-1].endswith(("-", "‐")) and text[0].islower():
            lines[-1] = dehyphenate([lines[-1], text], vocabulary)
        else:
            lines.append(text)
    return lines


def _rows(texts: Sequence[str]) -> list[str]:
    """Lines as sentences: a row of numbers is one, smaller scraps are joined."""
    rows: list[str] = []
    whole = True
    for text in texts:
        row = _row(text)
        if whole or row or len(rows[-1].split()) >= SENTENCE_WORDS:
            rows.append(text)
        else:
            rows[-1] += f" {text}"
        whole = row
    return rows


def _with_tables(blocks: Sequence[Block]) -> list[Block]:
    """Rows that a table's caption stands next to are a table; bullets one after the other are a list."""
    result: list[Block] = []
    for block in blocks:
        last = result[-1] if result else None
        if last and block.sentences and block.kind is Kind.PARAGRAPH and _captions_table(last):
            result[-1:] = _captioned(block, last)
        elif last and _captions_table(block) and last.kind is Kind.PARAGRAPH and _mostly_rows(last):
            result[-1:] = _captioned(last, block)
        elif block.kind is Kind.PARAGRAPH and BULLET.match(block.text):
            item = MARKER.sub("", block.text, count=1)
            if last and last.kind is Kind.LIST:
                joined = (*last.sentences, item)
                result[-1] = replace(last, text=f"{last.text}\n- {item}", sentences=joined)
            else:
                result.append(replace(block, kind=Kind.LIST, text=f"- {item}", sentences=(item,)))
        else:
            result.append(block)
    return result


def _captioned(rows: Block, caption: Block) -> list[Block]:
    """A table of rows with the caption's first sentence as its title; what follows that may be other text."""
    first, *others = split(caption.text)
    if len(first) < LABEL and others:  # "Table 2." is no sentence
        first += others.pop(0)
    rest = "".join(others).strip()
    table = replace(rows, kind=Kind.TABLE, title=first.strip())
    return [table, replace(caption, text=rest)] if rest else [table]


def _captions_table(block: Block) -> bool:
    return (
        block.kind is Kind.PARAGRAPH
        and not block.sentences
        and bool(TABLE_CAPTION.match(block.text))
        and bool(CAPTION.match(block.text))
    )


def _mostly_rows(block: Block) -> bool:
    return sum(map(_row, block.sentences)) * 2 > len(block.sentences)
