"""Nodes: how they are written as rows and read again, with what stands around them."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kohaku.store.damage import sound_rows, told
from kohaku.store.file import File
from kohaku.text import storable
from kohaku.tree import Box, Kind, Node, Tier

AT_ONCE = 500  # nodes of a document that are in memory while it comes and goes

_BELOW = """(
    select group_concat(part, char(10) || char(10)) from (
        select case m.tier when 'section' then nullif(m.title, '') else nullif(m.text, '') end as part
        from node m
        where m.document = n.document and m.position > n.position and m.position <= n.last
          and m.tier in ('section', 'paragraph')
        order by m.position))
"""
_NODE = """
    select n.key, d.id, n.position, n.last, n.parent, n.kind, n.id, n.tokens, n.title, n.level,
           n.first_page, n.last_page, n.boxes, s.headings, n.image, n.shown_tokens, coalesce(n.text, {below}, '')
    from node n
    join document d on d.key = n.document
    left join node s on s.document = n.document and s.position = n.section
"""

_OF_KEYS = "where n.key in (select value from json_each(:keys))"

INSERT_NODE = """
    insert into node values (
        :key, :document, :position, :last, :parent, :section, :kind, :tier, :id, :title, :text, :tokens, :level,
        :first_page, :last_page, :boxes, :headings, :image, :shown_tokens)
"""


class NodeRows(File):
    """A file's nodes."""

    def counts(self) -> dict[str, int]:
        """How many nodes there are of each kind."""
        query = "select kind, nodes from tally where nodes > 0 order by kind"
        if self._version < 7:
            query = "select kind, count(*) from node group by kind order by kind"
        return dict(self._rows(query))

    def size(self, tier: Tier) -> int:
        """How many nodes stand on a tier."""
        if 5 <= self._version < 7:
            return sum(nodes for (nodes,) in self._rows("select nodes from tally where tier = :tier", {"tier": tier}))
        return sum(nodes for kind, nodes in self.counts().items() if Kind(kind).tier is tier)

    def keys(
        self, tier: Tier, *, documents: Collection[str] | None = None, kinds: Collection[Kind] | None = None
    ) -> list[int]:
        """The keys of a tier's nodes in order, all of them or those of documents (by id) and of kinds."""
        rows = self._rows(
            """
            select key from node
            where tier = :tier
              and (:documents is null or document in (
                  select d.key from document d where d.id in (select value from json_each(:documents))))
              and (:kinds is null or kind in (select value from json_each(:kinds)))
            order by key
            """,
            {
                "tier": tier.value,
                "documents": None if documents is None else json.dumps([storable(id) for id in documents]),
                "kinds": None if kinds is None else json.dumps([kind.value for kind in kinds]),
            },
        )
        return [key for (key,) in rows]

    def nodes(self, keys: Iterable[int]) -> dict[int, Node]:
        """Nodes by key, read at once."""
        found = self._nodes(_OF_KEYS, {"keys": json.dumps(list(keys))})
        return {node.key: node for node in found}

    def node(self, id: str) -> Node | None:
        """The node of that id."""
        return next(iter(self._nodes("where n.id = :id order by n.key", {"id": storable(id)})), None)

    def node_ids(self, document: str) -> list[str]:
        """The ids of a document's nodes, in reading order."""
        rows = self._rows(
            "select id from node where document = (select key from document where id = :id) order by position",
            {"id": storable(document)},
        )
        return [id for (id,) in rows]

    def subtree(self, id: str) -> list[Node]:
        """A node and all below it, in reading order."""
        return self._nodes(
            """
            where n.key in (
                select below.key from node above cross join node below
                on below.document = above.document and below.position between above.position and above.last
                where above.id = :id
            ) order by n.document, n.position
            """,
            {"id": storable(id)},
        )

    def parents(self, nodes: Collection[Node]) -> dict[int, Node]:
        """The parent of each node, by the node's key, read at once."""
        above = self._at((node.document, node.parent) for node in nodes if node.parent is not None)
        return {
            node.key: above[node.document, node.parent]
            for node in nodes
            if node.parent is not None and (node.document, node.parent) in above
        }

    def homes(self, sentences: Collection[int]) -> dict[int, int]:
        """The paragraph that each sentence stands in, both by key."""
        rows = self._rows(
            """
            select n.key, above.key from json_each(:keys) as wanted
            join node n on n.key = wanted.value
            join node above on above.document = n.document and above.position = n.parent
            """,
            {"keys": json.dumps(list(sentences))},
        )
        return dict(rows)

    def sentences(self, paragraphs: Collection[Node]) -> dict[int, list[Node]]:
        """The sentences of paragraphs in reading order, by the paragraph's key."""
        keys = {(node.document, node.position): node.key for node in paragraphs}
        found = self._nodes(
            """
            where n.tier = 'sentence' and n.key in (
                select c.key from json_each(:keys) as wanted
                join node p on p.key = wanted.value
                join node c on c.document = p.document and c.parent = p.position
            ) order by n.key
            """,
            {"keys": json.dumps(sorted(keys.values()))},
        )
        sentences: dict[int, list[Node]] = {}
        for node in found:
            if node.parent is not None:
                sentences.setdefault(keys[node.document, node.parent], []).append(node)
        return sentences

    def roots(self, documents: Collection[str]) -> list[Node]:
        """The nodes that are documents as a whole."""
        ids = {"ids": json.dumps([storable(id) for id in documents])}
        return self._nodes("where n.position = 0 and d.id in (select value from json_each(:ids)) order by n.key", ids)

    def openings(self, nodes: Collection[Node], most: int) -> dict[int, list[Node]]:
        """How sections or documents begin: the first text of each and of the first sections in it, by the node's key.

        At most so many a node, in reading order.
        """
        pairs = self._rows(
            """
            select wanted.value, min(n.key) as first from json_each(:keys) as wanted
            join node w on w.key = wanted.value
            join node n on n.document = w.document and n.position between w.position and w.last
            where n.kind in ('paragraph', 'list', 'quote') and n.text <> ''
            group by wanted.value, n.section order by wanted.value, first
            """,
            {"keys": json.dumps([node.key for node in nodes])},
        )
        firsts: dict[int, list[int]] = {node.key: [] for node in nodes}
        for key, first in pairs:
            if len(firsts[key]) < most:
                firsts[key].append(first)
        found = self.nodes(first for some in firsts.values() for first in some)
        return {key: [found[first] for first in some] for key, some in firsts.items()}

    def ancestors(self, node: Node) -> list[Node]:
        """The nodes that cover a node, document first."""
        above: list[Node] = []
        while node.key in (parent := self.parents([node])):
            node = parent[node.key]
            above.append(node)
        return above[::-1]

    def children(self, node: Node, limit: int, offset: int = 0) -> list[Node]:
        """The nodes right under a node in reading order, so many of them from the offset on."""
        return self._nodes(
            """
            where n.document = (select key from document where id = :document) and n.parent = :position
            order by n.position limit :limit offset :offset
            """,
            {"document": storable(node.document), "position": node.position, "limit": limit, "offset": offset},
        )

    def siblings(self, node: Node) -> list[Node]:
        """The children of the node's parent, itself among them, in reading order."""
        return self._nodes(
            """
            where n.document = (select key from document where id = :document)
              and n.parent is :parent order by n.position
            """,
            {"document": storable(node.document), "parent": node.parent},
        )

    def neighbours(self, nodes: Collection[Node]) -> dict[int, list[Node]]:
        """The nodes of the same tier before and after each one under one parent, by the node's key, read at once."""
        pairs = self._rows(
            """
            select n.key, beside.key from json_each(:keys) as wanted
            join node n on n.key = wanted.value
            join node beside on beside.document = n.document and beside.parent = n.parent
                and beside.tier = n.tier and beside.position in (
                (select max(b.position) from node b
                 where b.document = n.document and b.parent = n.parent and b.position < n.position),
                n.last + 1)
            order by n.key, beside.position
            """,
            {"keys": json.dumps([node.key for node in nodes])},
        )
        found = self.nodes({beside for _, beside in pairs})
        neighbours: dict[int, list[Node]] = {node.key: [] for node in nodes}
        for key, beside in pairs:
            neighbours[key].append(found[beside])
        return neighbours

    def _pages(self, document: int, columns: str) -> Iterator[list[Any]]:
        """Rows of a document's nodes in reading order, some at a time, each a position and these columns."""
        query = f"""
            select position, {columns} from node
            where document = :document and position > :after order by position limit :limit
        """
        after = -1
        while rows := self._rows(query, {"document": document, "after": after, "limit": AT_ONCE}):
            yield rows
            after = rows[-1][0]

    def _at(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Node]:
        keys = self._rows(
            """
            select n.key from json_each(:places) as place
            join document d on d.id = json_extract(place.value, '$[0]')
            join node n on n.document = d.key and n.position = json_extract(place.value, '$[1]')
            """,
            {"places": json.dumps([(storable(document), position) for document, position in set(places)])},
        )
        return {(node.document, node.position): node for node in self.nodes(key for (key,) in keys).values()}

    def growing(self, id: str) -> Iterator[Node]:
        """A document's nodes as they grew: sections after what is in them and the document last, without their text."""
        query = """
            select key from node where document = (select key from document where id = :id)
            order by iif(tier in ('document', 'section'), last, position), tier in ('document', 'section'), -position
        """
        with self._turn, told(self.path):
            keys = array("q", (key for (key,) in self._db.execute(query, {"id": storable(id)})))
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE].tolist()
            found = self._nodes(_OF_KEYS, {"keys": json.dumps(some)}, below="null")
            nodes = {node.key: node for node in found}
            yield from (nodes[key] for key in some)

    def _nodes(self, where: str, values: Mapping[str, object], *, below: str = _BELOW) -> list[Node]:
        columns = _NODE.replace("{below}", below)
        columns = columns if self._version >= 2 else columns.replace("n.shown_tokens", "null")
        rows = self._rows(f"{columns} {where}", values)
        with sound_rows(self.path):
            return [_node(row) for row in rows]

    def _tally(self, sign: int, counted: Mapping[str, int]) -> None:
        """Keeps count of the nodes of each kind: to count them takes long in a large file."""
        self._db.executemany(
            "insert into tally values (?, ?) on conflict (kind) do update set nodes = nodes + excluded.nodes",
            [(kind, sign * nodes) for kind, nodes in counted.items()],
        )


def row_of(key: int, document: int, section: int | None, node: Node) -> dict[str, object]:
    """The values of INSERT_NODE; the document by its key, the innermost section by its position."""
    inner = node.tier in (Tier.DOCUMENT, Tier.SECTION)
    return {
        "key": key,
        "document": document,
        "position": node.position,
        "last": node.last,
        "parent": node.parent,
        "section": section,
        "kind": node.kind.value,
        "tier": node.tier.value,
        "id": storable(node.id),
        "title": storable(node.title),
        "text": None if inner else storable(node.text),
        "tokens": node.tokens,
        "level": node.level,
        "first_page": node.pages[0] if node.pages else None,
        "last_page": node.pages[1] if node.pages else None,
        "boxes": json.dumps([[b.page, b.x0, b.y0, b.x1, b.y1] for b in node.boxes]) if node.boxes else None,
        "headings": json.dumps(node.headings) if node.kind is Kind.SECTION else None,
        "image": node.image,
        "shown_tokens": node.shown_tokens,
    }


def _node(row: Sequence[Any]) -> Node:
    (key, document, position, last, parent, kind, id, tokens, title, level) = row[:10]
    (first, last_page, boxes, headings, image, shown_tokens, text) = row[10:]
    return Node(
        document=document,
        position=position,
        last=last,
        parent=parent,
        kind=Kind(kind),
        id=id,
        text=text,
        tokens=tokens,
        title=title,
        level=level,
        pages=None if first is None else (first, last_page),
        boxes=tuple(Box(*box) for box in json.loads(boxes)) if boxes else (),
        headings=_headings(headings) if headings else (),
        image=image,
        key=key,
        shown_tokens=shown_tokens,
    )


@lru_cache(maxsize=1024)  # the nodes of a section all come with its headings
def _headings(written: str) -> tuple[str, ...]:
    return tuple(json.loads(written))
