"""A map of an index: nodes as dots on a plane, near each other where their vectors are, with a question among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kohaku.doors.display import one_line
from kohaku.doors.searcher import Searcher
from kohaku.errors import KohakuError
from kohaku.scope import EVERYWHERE, Scope, admitted
from kohaku.store import Store
from kohaku.tree import Node, Tier, Vectors

Method = Literal["pca", "umap"]
Grouping = Literal["document", "section"]
Plane = NDArray[np.float64]
"""Points, one a row: x, y."""

MOST = 5000  # dots: more can't be told apart, and each method's time grows with them
SEED = 0
HITS = 10  # of a question's evidence, the best of them
GROUPS = 50  # with a colour and a shape of their own
LABEL = 40  # characters of a group's name
WORDS = 160  # of a node's text under its dot
FEWEST = 3  # nodes that a plane can be laid through


@dataclass(frozen=True, slots=True)
class Dot:
    """A node on the map: where it stands in its document, how it begins, its place, its group's number.

    `rank` is its place in the evidence for the question, from 1, and 0 where it is not in it.
    """

    node: str
    document: str
    headings: tuple[str, ...]
    text: str
    x: float
    y: float
    group: int
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """What has one colour and shape: a document, a section of one, or all that has none of its own (the last)."""

    name: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Map:
    """A map of the index of a name. `axes` says what x and y are, `notes` what was left out.

    `star` is the place of the question.
    """

    name: str
    level: Tier
    dots: tuple[Dot, ...]
    groups: tuple[Group, ...]
    has_others: bool
    axes: str
    notes: tuple[str, ...] = ()
    question: str = ""
    star: tuple[float, float] | None = None

    @property
    def hits(self) -> list[Dot]:
        """The dots that are evidence for the question, best first."""
        return sorted((dot for dot in self.dots if dot.rank), key=lambda dot: dot.rank)


def map_of(
    searcher: Searcher,
    *,
    level: Tier = Tier.PARAGRAPH,
    by: Grouping = "document",
    method: Method = "pca",
    question: str = "",
    scope: Scope = EVERYWHERE,
    most: int = MOST,
    seed: int = SEED,
    tell: Callable[[str], None] = lambda stage: None,
) -> Map:
    """The map of an index's nodes of a level, or of so many of them drawn by the seed, with a question's evidence.

    `tell` is told what goes on. Raises KohakuError where there are too few nodes, or the method's library is missing.
    """
    tell("reading vectors")
    store = searcher.store
    documents = admitted(scope, store.documents()) if scope.names_documents else None
    keys = store.keys(level, documents=documents, kinds=scope.kinds or None)
    ranks = _ranks(searcher, question, scope, level) if question else {}
    chosen = _drawn(keys, most, seed) | (ranks.keys() & set(keys))
    vectors = store.vectors(chosen)
    nodes = [node for node in store.nodes(vectors).values() if vectors[node.key].any()]
    nodes.sort(key=lambda node: node.key)
    if len(nodes) < FEWEST:
        raise KohakuError(f"a map takes {FEWEST} nodes, and there are {len(nodes)}: give other --dots, or more files")
    rows = np.array([vectors[node.key] for node in nodes], np.float32)
    asked = searcher.embedder.embed_questions([question]) if question else rows[:0]
    tell(f"laying {len(nodes):,} dots on a plane by {method}")
    places, axes = flat(np.concatenate([rows, asked]), method, seed)
    groups, numbers, has_others = grouped([_group(node, by) for node in nodes])
    dots = tuple(
        Dot(
            node.id,
            node.document,
            node.headings,
            one_line(node.title or node.text)[:WORDS],
            x,
            y,
            number,
            ranks.get(node.key, 0),
        )
        for node, (x, y), number in zip(nodes, places[: len(nodes)].tolist(), numbers, strict=True)
    )
    notes = []
    if len(chosen) < len(keys):
        notes.append(f"{len(chosen):,} of {len(keys):,} {level}s, drawn with seed {seed}")
    if len(nodes) < len(chosen):
        notes.append(f"{len(chosen) - len(nodes):,} without a vector left out")
    star = tuple(places[-1].tolist()) if question else None
    return Map(store.path.name, level, dots, groups, has_others, axes, tuple(notes), question, star)


def flat(rows: Vectors, method: Method, seed: int) -> tuple[Plane, str]:
    """Vectors laid on a plane, in the box from 0 to 1, and what its axes are; the same at every run."""
    if method == "pca":
        places, share = _pca(rows)
        axes = f"PCA: {share[0]:.1%} and {share[1]:.1%} of the variance"
    else:
        places, axes = _umap(rows, seed), "UMAP: neighbours are alike, far distances mean little"
    low, high = places.min(axis=0), places.max(axis=0)
    return (places - low) / np.maximum(high - low, 1e-12), axes


def grouped(names: Sequence[str]) -> tuple[tuple[Group, ...], list[int], bool]:
    """The groups of nodes by their groups' names, in the names' order, the number of each node's, and whether the last
    group is that of all others: where there are more than GROUPS names, the smallest share one.

    >>> grouped(["b", "a", "b"])
    ((Group(name='a', nodes=1), Group(name='b', nodes=2)), [1, 0, 1], False)
    """
    counted = Counter(names)
    has_others = len(counted) > GROUPS
    large = sorted(counted, key=lambda name: (-counted[name], name))[: GROUPS - has_others]
    shown = sorted(large)
    groups = [Group(name, counted[name]) for name in shown]
    if has_others:
        groups.append(Group(f"{len(counted) - len(shown)} others", len(names) - sum(one.nodes for one in groups)))
    place = {name: number for number, name in enumerate(shown)}
    return tuple(groups), [place.get(name, len(shown)) for name in names], has_others


def shortened(name: str) -> str:
    """A group's name, cut in its middle where it is long.

    >>> len(shortened("a" * 99))
    40
    """
    line = one_line(name)
    return line if len(line) <= LABEL else f"{line[: LABEL // 2]}…{line[len(line) - LABEL // 2 + 1 :]}"


def _group(node: Node, by: Grouping) -> str:
    heading = next(iter(node.headings), "")
    return f"{node.document} › {heading}" if by == "section" and heading else node.document


def _drawn(keys: Sequence[int], most: int, seed: int) -> set[int]:
    if len(keys) <= most:
        return set(keys)
    return set(np.random.default_rng(seed).choice(np.array(keys), most, replace=False).tolist())


def _ranks(searcher: Searcher, question: str, scope: Scope, level: Tier) -> dict[int, int]:
    """The nodes of a level that are evidence for a question, by key, with its rank."""
    ranks: dict[int, int] = {}
    evidence = searcher.retrieve(question, scope=scope, explain=True)
    for rank, context in enumerate(evidence.contexts[:HITS], start=1):
        found = searcher.store.node(context.why.found if context.why else context.node)
        for node in _of_level(searcher.store, found, level) if found else ():
            ranks.setdefault(node.key, rank)
    return ranks


def _of_level(store: Store, found: Node, level: Tier) -> list[Node]:
    """The nodes of a level that a node stands for: itself, the innermost around it, or those within."""
    if found.tier is level:
        return [found]
    above = [node for node in store.ancestors(found) if node.tier is level]
    return above[-1:] or [node for node in store.subtree(found.id) if node.tier is level]


def _pca(rows: Vectors) -> tuple[Plane, tuple[float, float]]:
    """The first two principal components, by the covariance's eigenvectors, and each one's share of the variance."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    values, axes = np.linalg.eigh(centred.T @ centred)
    first = axes[:, [-1, -2]]
    first *= np.sign(first[np.abs(first).argmax(axis=0), [0, 1]])  # else which way they point is chance
    total = max(float(values.sum()), 1e-12)
    return centred @ first, (float(values[-1]) / total, float(values[-2]) / total)


def _umap(rows: Vectors, seed: int) -> Plane:
    try:
        from umap import UMAP
    except ImportError:
        raise KohakuError("UMAP needs umap-learn: pip install 'kohaku[umap]', or take --method pca") from None
    neighbours = min(15, len(rows) - 1)
    return np.asarray(
        UMAP(n_neighbors=neighbours, metric="cosine", random_state=seed, n_jobs=1).fit_transform(rows), np.float64
    )
