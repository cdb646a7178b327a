"""The store's schema, as numbered steps: a step that has shipped is never edited, a change is a new one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kohaku.words import parts

APPLICATION = 0x4B48_4B55  # "KHKU" in the file's header tells our files from other programs'


def _first(db: Any, dimensions: int) -> None:
    _run(
        db,
        f"""
        create table meta (name text primary key, value text not null) without rowid;

        create table document (
            key integer primary key,
            id text not null unique,
            title text not null,
            content text not null,
            fingerprint text not null,
            pages integer not null,
            metadata text not null
        );

        create table source (
            path text primary key,
            document integer not null references document (key)
        ) without rowid;
        create index source_document on source (document);

        -- A section's text is that of its subtree: it is joined when read, not stored twice.
        create table node (
            key integer primary key,
            document integer not null references document (key),
            position integer not null,
            last integer not null,
            parent integer,
            section integer,
            kind text not null,
            tier text not null,
            id text not null,
            title text not null,
            text text,
            tokens integer not null,
            level integer not null,
            first_page integer,
            last_page integer,
            boxes text,
            headings text,
            image text
        );
        create unique index node_place on node (document, position);
        create index node_id on node (id);
        create index node_child on node (document, parent, position);

        create table image (hash text primary key, bytes blob not null) without rowid;

        create table acronym (
            short text not null,
            long text not null,
            document integer not null references document (key),
            primary key (short, long, document)
        ) without rowid;
        create index acronym_document on acronym (document);

        -- number = 2 * node key, + 1 for a paragraph's own (direct) vector.
        create virtual table vector using vec0(
            number integer primary key,
            tier text partition key,
            document integer,
            embedding float[{dimensions}] distance_metric=cosine
        );

        -- Without content: what is indexed is folded text, the words themselves stand in node.
        create virtual table paragraph_words using fts5(
            text, headings, title,
            content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
        );
        create virtual table sentence_words using fts5(
            text,
            content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
        );
        """,
    )


def _second(db: Any, dimensions: int) -> None:
    # A question then needs no tokenizer: loading its table takes longer than searching.
    _run(db, "alter table node add column shown_tokens integer")


def _third(db: Any, dimensions: int) -> None:
    # Which documents a question names, and how many hold a word at all: not where in them, which takes most room.
    _run(
        db,
        """
        create virtual table document_words using fts5(
            name, text,
            content='', contentless_delete=1, detail=column, tokenize='porter unicode61 remove_diacritics 2'
        )
        """,
    )
    for key, id, title, metadata in db.execute("select key, id, title, metadata from document").fetchall():
        texts = db.execute("select text from node where document = ? and tier = 'paragraph' order by position", (key,))
        name = name_words(id, title, json.loads(metadata))
        words = " ".join(words_of(text for (text,) in texts))
        db.execute("insert into document_words (rowid, name, text) values (?, ?, ?)", (key, name, words))


def _fourth(db: Any, dimensions: int) -> None:
    # What a model says of a picture outlasts the documents that show it: each is asked once. Mentions are by position.
    _run(
        db,
        """
        create table caption (hash text primary key, text text not null, model text not null) without rowid;

        create table mention (
            document integer not null references document (key),
            figure integer not null,
            sentence integer not null,
            primary key (document, figure, sentence)
        ) without rowid;
        create index mention_sentence on mention (document, sentence);

        create index node_image on node (image) where image is not null
        """,
    )


def _fifth(db: Any, dimensions: int) -> None:
    # How many nodes stand on a tier: to count them takes long in a large file.
    _run(
        db,
        """
        create table tally (tier text primary key, nodes integer not null) without rowid;
        insert into tally select tier, count(*) from node group by tier
        """,
    )


def _sixth(db: Any, dimensions: int) -> None:
    # Which files beside the index hold what of it, and which keys went since: they stay of use when it changes.
    _run(
        db,
        """
        create table beside (
            token text primary key,
            part text not null,
            suffix text not null,
            first integer not null,
            last integer not null,
            rows integer not null,
            removals integer not null
        ) without rowid;
        create table removal (number integer primary key autoincrement, first integer not null, last integer not null)
        """,
    )


def _seventh(db: Any, dimensions: int) -> None:
    # How many nodes there are of each kind, for the same reason; the tiers but one have a kind of that name alone.
    _run(
        db,
        """
        alter table tally rename to former;
        create table tally (kind text primary key, nodes integer not null) without rowid;
        insert into tally select tier, nodes from former where tier <> 'paragraph';
        insert into tally select kind, count(*) from node where tier = 'paragraph' group by kind;
        drop table former
        """,
    )


def name_words(id: str, title: str, metadata: Mapping[str, str]) -> str:
    """The words that a question may name a document by: of its id, its title and its metadata."""
    return " ".join(parts(" ".join((id, title, *metadata.values()))))


def words_of(texts: Iterable[str | None]) -> dict[str, None]:
    """Each word of some texts once, in their order."""
    return dict.fromkeys(word for text in texts for word in parts(text or ""))


def _run(db: Any, statements: str) -> None:
    """Runs statements one by one: `executescript` would commit the transaction they stand in."""
    for statement in re.sub(r"--.*", "", statements).split(";"):
        db.execute(statement)


STEPS: tuple[Callable[[Any, int], None], ...] = (_first, _second, _third, _fourth, _fifth, _sixth, _seventh)
VERSION = len(STEPS)


def migrate(db: Any, *, version: int, dimensions: int) -> None:
    """Brings an open database from a version (0: empty) to VERSION; the caller holds the write lock."""
    for number, step in enumerate(STEPS[version:], start=version + 1):
        step(db, dimensions)
        db.execute(f"pragma user_version = {number}")
    db.execute(f"pragma application_id = {APPLICATION}")
