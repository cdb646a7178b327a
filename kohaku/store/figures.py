"""Figures: their images, what models say of them, and the sentences that speak of them."""

from __future__ import annotations

import json
from collections.abc import Collection

from kohaku.store.node_rows import NodeRows
from kohaku.text import storable
from kohaku.tree import Node


class Figures(NodeRows):
    """A file's figures."""

    def image(self, hash: str) -> bytes | None:
        """The bytes of an image."""
        rows = self._rows("select bytes from image where hash = :hash", {"hash": hash})
        return rows[0][0] if rows else None

    def captions(self, hashes: Collection[str]) -> dict[str, str]:
        """What a model said of images, by hash."""
        rows = self._rows(
            "select hash, text from caption where hash in (select value from json_each(:hashes))",
            {"hashes": json.dumps(list(hashes))},
        )
        return dict(rows)

    def uncaptioned(self) -> list[Node]:
        """For each image that no model has said anything of, the first figure that shows it."""
        return self._nodes(
            """
            where n.key in (
                select min(key) from node
                where image in (select hash from image) and image not in (select hash from caption) group by image)
            order by n.key
            """,
            {},
        )

    def untold(self) -> list[str]:
        """The ids of the documents with a figure whose image has a caption that its text lacks."""
        rows = self._rows(
            """
            select distinct d.id from caption c
            join node n on n.image = c.hash
            join document d on d.key = n.document
            where c.text <> '' and not exists (
                select 1 from node m where m.image = c.hash and m.document = n.document and instr(m.text, c.text))
            order by d.id
            """
        )
        return [id for (id,) in rows]

    def mentions(self, figure: Node) -> list[Node]:
        """The sentences that speak of a figure; none in an index of an older version."""
        return self._linked(figure, "sentence", "figure")

    def mentioned(self, sentence: Node) -> list[Node]:
        """The figures that a sentence or a paragraph speaks of; none in an index of an older version."""
        return self._linked(sentence, "figure", "sentence")

    def _linked(self, node: Node, wanted: str, given: str) -> list[Node]:
        if self._version < 4:
            return []
        return self._nodes(
            f"""
            where (n.document, n.position) in (
                select document, {wanted} from mention
                where document = (select key from document where id = :document)
                  and {given} between :position and :last)
            order by n.position
            """,
            {"document": storable(node.document), "position": node.position, "last": node.last},
        )

    def add_caption(self, hash: str, text: str, model: str) -> None:
        """Keeps what a model says of an image ("" for nothing worth it), also when no document shows that any more."""
        with self._change():
            self._db.execute(
                "insert or replace into caption values (:hash, :text, :model)",
                {"hash": hash, "text": storable(text), "model": storable(model)},
            )

    def _forget_images(self) -> None:
        """Drops the images that no figure shows; after a document came in, since it may show them again."""
        self._db.execute("delete from image where hash not in (select image from node where image is not null)")
