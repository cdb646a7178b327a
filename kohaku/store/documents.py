"""Documents: their rows, their sources, and the acronyms they define."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from kohaku.store.damage import sound_rows
from kohaku.store.file import File
from kohaku.text import storable
from kohaku.tree import Document


class Documents(File):
    """A file's documents."""

    def documents(self) -> list[Document]:
        """All documents, by id."""
        return self._documents("order by d.id", {})

    def document(self, id: str) -> Document | None:
        """The document of that id."""
        return next(iter(self._documents("where d.id = :id", {"id": storable(id)})), None)

    def beginnings(self, ids: Collection[str], paragraphs: int) -> dict[str, str]:
        """The text of the first paragraphs of documents, by id."""
        rows = self._rows(
            """
            select id, group_concat(text, char(10)) from (
                select d.id, n.text, row_number() over (partition by n.document order by n.position) as place
                from node n join document d on d.key = n.document
                where d.id in (select value from json_each(:ids)) and n.tier = 'paragraph' and n.text <> ''
            ) where place <= :paragraphs group by id
            """,
            {"ids": json.dumps([storable(id) for id in ids]), "paragraphs": paragraphs},
        )
        return dict(rows)

    def document_of(self, source: str) -> Document | None:
        """The document that was read from a path."""
        query = "where d.key = (select document from source where path = :path)"
        return next(iter(self._documents(query, {"path": source})), None)

    def _documents(self, where: str, values: Mapping[str, object]) -> list[Document]:
        rows = self._rows(
            f"""
            select d.id, d.title, d.content, d.fingerprint, d.pages, d.metadata,
                   (select json_group_array(path) from (select path from source where document = d.key order by path))
            from document d {where}
            """,
            values,
        )
        with sound_rows(self.path):
            return [
                Document(id, title, tuple(json.loads(sources)), content, fingerprint, pages, json.loads(metadata))
                for id, title, content, fingerprint, pages, metadata, sources in rows
            ]

    def acronyms(self, id: str) -> dict[str, str]:
        """The acronyms that a document defines, each with its long form."""
        query = "select short, long from acronym where document = (select key from document where id = :id)"
        return dict(self._rows(query, {"id": storable(id)}))

    def spelt(self, terms: Collection[str]) -> dict[str, str]:
        """Each acronym among the terms with its most common long form in the corpus."""
        rows = self._rows(
            """
            select short, long from acronym where short in (select value from json_each(:terms))
            group by short, long order by count(*), long desc
            """,
            {"terms": json.dumps(list(terms))},
        )
        return dict(rows)

    def shortened(self, text: str) -> dict[str, str]:
        """Each long form that stands in the text, with its most common acronym in the corpus."""
        rows = self._rows(
            """
            select long, short from acronym where instr(lower(:text), lower(long)) > 0
            group by long, short order by count(*), short desc
            """,
            {"text": storable(text)},
        )
        return dict(rows)

    def _insert_document(self, document: Document) -> int:
        cursor = self._db.execute(
            """
            insert into document (id, title, content, fingerprint, pages, metadata)
            values (:id, :title, :content, :fingerprint, :pages, :metadata)
            """,
            {
                "id": storable(document.id),
                "title": storable(document.title),
                "content": document.content,
                "fingerprint": document.fingerprint,
                "pages": document.pages,
                "metadata": json.dumps(dict(document.metadata), ensure_ascii=True),
            },
        )
        return int(cursor.lastrowid)
