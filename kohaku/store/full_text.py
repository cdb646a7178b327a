"""Full text: the words of paragraphs, sentences and documents, in FTS5."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kohaku.sqlite import sqlite3
from kohaku.store import schema, word_file
from kohaku.store.beside import Beside
from kohaku.store.damage import told
from kohaku.store.file import MEMORY_MB
from kohaku.store.hits import OF_KINDS, Bounded, Hit, Numbers, Within, best_of
from kohaku.store.node_rows import NodeRows
from kohaku.store.segments import Segments
from kohaku.store.word_file import WordFiles, rarity
from kohaku.text import storable
from kohaku.tree import Document, Kind, Node, Tier
from kohaku.words import expression, fold, is_beginning

log = logging.getLogger("kohaku")

TOKENS = "tokenize='porter unicode61 remove_diacritics 2'"

# Where a large index has no file of words, since it has just changed: to score a passage costs FTS5 as much as to find
# it, and most passages hold the commonest words. So only as many as a question's rarest words bring are scored, and the
# best of these by all its words: of a million made sentences .98 of the ten best are the same in an eighth of the time.
LARGE = 100_000  # nodes of a tier
POSTINGS = 60_000  # passages that are scored
CANDIDATES = 4  # times as many as are wanted are scored by all words
WORDS_FROM = 20_000  # passages of a tier from which a file of words is made: FTS5 takes 10 ms there, and more with each
SLICES, SLICED = 8, 25  # one row in SLICED, in so many places, tells how many passages hold a word

# A document's title and a paragraph's headings steer a search, but its own words decide.
TEXT_WEIGHT, HEADINGS_WEIGHT, TITLE_WEIGHT = 1.0, 0.4, 0.2

_COLUMN_WEIGHTS = (TEXT_WEIGHT, HEADINGS_WEIGHT, TITLE_WEIGHT)
_COLUMNS = {Tier.PARAGRAPH: ("text", "headings", "title"), Tier.SENTENCE: ("text",)}
_WEIGHTS = {Tier.PARAGRAPH: f", {TEXT_WEIGHT}, {HEADINGS_WEIGHT}, {TITLE_WEIGHT}", Tier.SENTENCE: ""}


_FROM = "n.key >= :first and n.tier = :tier and (n.tier = 'sentence' or n.text <> '')"


class FullText(NodeRows, Bounded, Segments):
    """A file's words."""

    def __init__(self, db: Any, path: Path, *, writable: bool, memory_mb: int = MEMORY_MB) -> None:
        super().__init__(db, path, writable=writable, memory_mb=memory_mb)
        self._word_files = Beside(path, ".words", word_file.opened)
        self._left = {tier: _totals([], len(columns)) for tier, columns in _COLUMNS.items()}  # FTS5 counts it still

    def matching(
        self,
        terms: Sequence[str],
        tier: Tier,
        limit: int,
        *,
        documents: Collection[str] | None = None,
        kinds: Collection[Kind] | None = None,
    ) -> list[Hit]:
        """The paragraphs or sentences that hold any of the words, best first by BM25 (Robertson & Zaragoza 2009).

        Any text is a legal term. Greater scores are better, as everywhere here (FTS5's own are negative). `documents`
        and `kinds` keep the search as in `nearest`.
        """
        if not any(term.strip() for term in terms):
            return []
        bounded = documents is not None or kinds is not None
        said = self._tokens(terms)
        with self._snapshot():
            files = self._beside(tier)
            if files is not None:
                admitted = self._within(tier, documents, kinds) if bounded else None
                return self._matching_beside(files, said, tier, limit, admitted)
        if not bounded and self.size(tier) >= LARGE:
            return self._matching_rare(terms, tier, limit)
        within = []
        if documents is not None:  # the + keeps SQLite from asking the index once for each node
            within.append(
                "and +rowid in (select key from node where tier = :tier"
                " and document in (select value from json_each(:documents)))"
            )
        if kinds is not None:
            within.append(f"and exists (select 1 from ({OF_KINDS[tier]}) as n where n.key = {tier.value}_words.rowid)")
        return self._matching(terms, tier, limit, " ".join(within), self._bound(documents, kinds))

    def _matching(
        self,
        terms: Sequence[str],
        tier: Tier,
        limit: int,
        within: str = "",
        bound: Mapping[str, object] | None = None,
        *,
        table: str = "",
    ) -> list[Hit]:
        table = table or f"{tier.value}_words"
        rows = self._rows(
            f"""
            select rowid, -bm25({table}{_WEIGHTS[tier]}) as score from {table}
            where {table} match :expression {within}
            order by score desc, rowid limit :limit
            """,
            {"expression": storable(expression(list(terms))), "limit": limit, "tier": tier.value, **(bound or {})},
        )
        return [Hit(key, score) for key, score in rows]

    def _matching_beside(
        self, files: WordFiles, said: Mapping[str, Sequence[str]], tier: Tier, limit: int, within: Within | None
    ) -> list[Hit]:
        """What the files of words beside the index find; they have no phrases: those are FTS5's."""
        words: list[str] = []
        more: list[dict[int, float]] = []
        for term, tokens in said.items():
            if len(tokens) == 1 and not is_beginning(term):
                words += tokens
            elif tokens and min(map(files.held, tokens)) <= POSTINGS:
                more.append({hit.key: hit.score for hit in self._matching([term], tier, POSTINGS)})
        return best_of(files.search(words, limit, more=more, within=within), limit)

    def _beside(self, tier: Tier) -> WordFiles | None:
        """The files of a tier's words; None where they do not hold all that there is."""
        segments = self._segments(tier.value, self._word_files.suffix)
        if not segments or segments[-1].last < self._last_key():
            return None
        files = self._word_files.of(tier.value, [segment.token for segment in segments])
        return None if files is None else WordFiles(files, [self._gone(segment) for segment in segments])

    def _tokens(self, terms: Sequence[str]) -> dict[str, list[str]]:
        """The tokens of each term, as the full-text index has them."""
        with self._turn, told(self.path):
            self._db.execute(f"create virtual table if not exists temp.asked using fts5(text, content='', {TOKENS})")
            self._db.execute(
                "create virtual table if not exists temp.said using fts5vocab('temp', 'asked', 'instance')"
            )
            self._db.execute("insert into temp.asked (asked) values ('delete-all')")
            distinct = list(dict.fromkeys(terms))
            self._db.executemany(
                "insert into temp.asked (rowid, text) values (?, ?)", [*enumerate(map(storable, distinct))]
            )
            found: dict[str, list[str]] = {term: [] for term in distinct}
            for row, token in self._db.execute("select doc, term from temp.said order by doc, offset"):
                found[distinct[row]].append(token)
            return found

    def _matching_rare(self, terms: Sequence[str], tier: Tier, limit: int) -> list[Hit]:
        """What holds the rarest of the words, and of these the best by all."""
        with self._turn:
            held = self._holding(terms, tier)
            rare, common = _parted(held, POSTINGS)
            if not common:
                return self._matching(rare, tier, limit)
            found = self._matching(rare, tier, CANDIDATES * limit)
            scores = {hit.key: hit.score for hit in found}
            some = "n.key in (select value from json_each(:keys))"
            copy = self._copy_words(tier, some, {"keys": json.dumps(list(scores))})
            total = self.size(tier)
            for term in common:
                local = self._matching([term], tier, len(scores), table=copy)
                scale = rarity(total, held[term]) / rarity(len(scores), len(local))
                for hit in local:
                    scores[hit.key] += scale * hit.score
            return best_of(scores, limit)

    def _holding(self, terms: Sequence[str], tier: Tier) -> dict[str, int]:
        """About how many passages of a tier hold each word."""
        [(last,)] = self._rows("select max(key) from node")
        width = -(-last // (SLICES * SLICED))
        starts = [slice * last // SLICES + 1 for slice in range(SLICES)]
        query = f"""
            select count(*) from {tier.value}_words
            where {tier.value}_words match :expression and rowid between :first and :last
        """
        return {
            term: SLICED
            * sum(
                self._rows(
                    query, {"expression": storable(expression([term])), "first": start, "last": start + width - 1}
                )[0][0]
                for start in starts
            )
            for term in terms
            if term.strip()
        }

    def _copy_words(self, tier: Tier, which: str, values: Mapping[str, object]) -> str:
        """The full text of some nodes alone, in a table of its own; its name."""
        table = f"some_{tier.value}_words"  # the name of the whole one would hide that
        columns = _COLUMNS[tier]
        with self._turn, told(self.path):
            declared = f"{', '.join(columns)}, content='', {TOKENS}"
            self._db.execute(f"create virtual table if not exists temp.{table} using fts5({declared})")
            self._db.execute(f"insert into temp.{table} ({table}) values ('delete-all')")
            rows = self._db.execute(
                f"""
                select n.key, n.text, s.headings, d.title from node n
                join document d on d.key = n.document
                left join node s on s.document = n.document and s.position = n.section
                where {which} order by n.key
                """,
                values,
            )
            self._db.executemany(
                f"insert into temp.{table} (rowid, {', '.join(columns)}) values (?{', ?' * len(columns)})",
                (
                    (key, *(fold(storable(one)) for one in texts[: len(columns)]))
                    for key, *texts in ((key, text, _headings(said), title) for key, text, said, title in rows)
                ),
            )
        return table

    def frequency(self, terms: Collection[str]) -> dict[str, int]:
        """How many paragraphs hold each word."""
        with self._snapshot():
            files = self._beside(Tier.PARAGRAPH)
            if files is not None:
                said = self._tokens([term for term in terms if term.strip()])
                return {term: min(map(files.held, tokens), default=0) for term, tokens in said.items()}
        return {
            term: self._rows(
                "select count(*) from paragraph_words where paragraph_words match :expression",
                {"expression": storable(expression([term]))},
            )[0][0]
            for term in terms
            if term.strip()
        }

    def naming(self, terms: Collection[str]) -> dict[str, tuple[frozenset[str], int]]:
        """For each word that names documents: their ids, and how many documents hold it at all (name or text).

        A word is one of `kohaku.words.parts`. Empty for an index of an older version.
        """
        found: dict[str, tuple[frozenset[str], int]] = {}
        for term in terms if self._version >= 3 else ():
            try:
                named = self._rows(
                    "select id from document where key in (select rowid from document_words "
                    "where document_words match :expression)",
                    {"expression": f"name : {expression([term])}"},
                )
                if named:
                    [(held,)] = self._rows(
                        "select count(*) from document_words where document_words match :expression",
                        {"expression": expression([term])},
                    )
                    found[term] = frozenset(id for (id,) in named), held
            except sqlite3.OperationalError as error:
                if "phrase" not in str(error):  # a letter younger than SQLite's tables parts a word
                    raise
        return found

    def _settle_words(self, exact_below: int) -> None:
        """Makes files of words for every tier with so many passages or more."""
        for tier in _COLUMNS:
            if self.size(tier) < min(exact_below, WORDS_FROM):
                self._unlist(tier.value, self._word_files.suffix)
                continue
            try:
                self._settle(
                    self._word_files,
                    tier.value,
                    least=1,
                    count=partial(self._passages, tier),
                    make=partial(self._build_words, tier),
                )
            except OSError as error:
                log.warning("search by words stays with FTS5, and slower: %s", error)

    def _passages(self, tier: Tier, first: int) -> int:
        """How many nodes from a key on have words of their own in the full text."""
        return int(self._rows(f"select count(*) from node n where {_FROM}", {"tier": tier, "first": first})[0][0])

    def _build_words(self, tier: Tier, path: Path, first: int) -> None:
        """Writes a file of the words of a tier's nodes from a key on.

        FTS5 can't tell those of some nodes alone, so that they are told apart again in a table of their own.
        """
        place, table, columns = "main", f"{tier.value}_words", _COLUMNS[tier]
        if first:
            place, table = "temp", self._copy_words(tier, _FROM, {"tier": tier, "first": first})
        lengths = self._db.execute(f"select id, sz from {place}.{table}_docsize order by id")
        for kind in ("row", "instance"):
            declared = f"fts5vocab('{place}', '{table}', '{kind}')"
            self._db.execute(f"create virtual table if not exists temp.{table}_{kind} using {declared}")
        weight = " ".join(f"when '{name}' then {own}" for name, own in zip(columns, _COLUMN_WEIGHTS, strict=False))
        word_file.build(
            path,
            ((key, sum(_varints(size))) for key, size in lengths),
            self._db.execute(f"select term, doc, cnt from temp.{table}_row"),
            self._db.execute(f"select doc, case col {weight} end from temp.{table}_instance"),
        )

    def _insert_words(self, base: int, title: str, nodes: Sequence[Node]) -> None:
        """Adds the words of a document's nodes, whose keys are their positions after `base`."""
        title = fold(storable(title))
        self._db.executemany(
            "insert into paragraph_words (rowid, text, headings, title) values (?, ?, ?, ?)",
            (
                (base + node.position, fold(storable(node.text)), fold(storable(" ".join(node.headings))), title)
                for node in nodes
                if node.tier is Tier.PARAGRAPH and node.text
            ),
        )
        self._db.executemany(
            "insert into sentence_words (rowid, text) values (?, ?)",
            ((base + node.position, fold(storable(node.text))) for node in nodes if node.tier is Tier.SENTENCE),
        )

    def _insert_names(self, key: int, document: Document, words: Iterable[str]) -> None:
        """Adds a document's name, and each word of its text."""
        name = schema.name_words(document.id, document.title, document.metadata)
        self._db.execute(
            "insert into document_words (rowid, name, text) values (?, ?, ?)",
            (key, storable(name), storable(" ".join(words))),
        )

    def _remove_words(self, document: int) -> None:
        """Removes the words of a document and of its nodes."""
        for page in self._pages(document, "key, tier"):
            for tier in _COLUMNS:
                table = f"{tier.value}_words"
                keys = json.dumps([key for _, key, one in page if one == tier])
                query = f"select id, sz from {table}_docsize where id in (select value from json_each(:keys))"
                sizes = self._rows(query, {"keys": keys})
                self._db.executemany(f"delete from {table} where rowid = ?", [(key,) for key, _ in sizes])
                self._left[tier] += _totals((size for _, size in sizes), len(_COLUMNS[tier]))
        self._db.execute("delete from document_words where rowid = :document", {"document": document})

    def _correct_totals(self) -> None:
        """Makes FTS5's count of passages and of their words true, by which BM25 weighs.

        FTS5 does not take what is deleted from a table without content out of these totals: a document that was indexed
        again and again would weigh more each time (SQLite 3.53; fts5.html, "Contentless-Delete Tables"). What this
        store removed is known; where that does not explain all, since a run was killed before this, all is counted.
        """
        for tier in _COLUMNS:
            table = f"{tier.value}_words"
            [(written,)] = self._rows(f"select block from {table}_data where id = 1")
            [(count,)] = self._rows(f"select count(*) from {table}_docsize")
            if _varints(written)[:1] in ([], [count]):
                continue
            with self._change():
                totals = np.array(_varints(written)) - self._left[tier]
                self._left[tier] = _totals([], len(_COLUMNS[tier]))
                if totals[0] != count or totals.min() < 0:
                    sizes = (size for (size,) in self._rows(f"select sz from {table}_docsize"))
                    totals = _totals(sizes, len(_COLUMNS[tier]))
                block = b"".join(map(_varint, totals.tolist()))
                self._db.execute(f"update {table}_data set block = :block where id = 1", {"block": block})


def _totals(sizes: Iterable[bytes], columns: int) -> Numbers:
    """How many passages there are, and how many words they have together in each column, by FTS5's records."""
    rows = np.array([(1, *_varints(size)) for size in sizes], np.int64)
    return np.asarray(rows.reshape(-1, 1 + columns).sum(axis=0), np.int64)


def _headings(said: str | None) -> str:
    return " ".join(json.loads(said or "[]"))


def _parted(held: Mapping[str, int], most: int) -> tuple[list[str], list[str]]:
    """The rarest words, of which together no more passages hold one than `most`, at least one word; the others."""
    rare: list[str] = []
    rest = most
    for term in sorted(held, key=lambda term: (held[term], term)):
        rest -= held[term]
        if rare and rest < 0:
            break
        rare.append(term)
    return rare, [term for term in held if term not in rare]


def _varints(data: bytes) -> list[int]:
    """Numbers in SQLite's variable length, as FTS5 keeps its counts.

    >>> _varints(_varint(5) + _varint(300))
    [5, 300]
    """
    numbers, number = [], 0
    for byte in data:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers


def _varint(number: int) -> bytes:
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.append(number & 0x7F | 0x80)
    return bytes(digits[::-1])
