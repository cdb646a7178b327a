"""The store's schema, as numbered steps: a step that has shipped is never edited, a change is a new one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

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


def _run(db: Any, statements: str) -> None:
    """Runs statements one by one: `executescript` would commit the transaction they stand in."""
    for statement in re.sub(r"--.*", "", statements).split(";"):
        db.execute(statement)


STEPS: tuple[Callable[[Any, int], None], ...] = (_first, _second)
VERSION = len(STEPS)


def migrate(db: Any, *, version: int, dimensions: int) -> None:
    """Brings an open database from a version (0: empty) to VERSION; the caller holds the write lock."""
    for number, step in enumerate(STEPS[version:], start=version + 1):
        step(db, dimensions)
        db.execute(f"pragma user_version = {number}")
    db.execute(f"pragma application_id = {APPLICATION}")
