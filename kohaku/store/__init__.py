"""The index: one SQLite file with documents, nodes, vectors, full text and images. All SQL on it is in this package.

A document enters whole or not at all. Readers never block: the file is in WAL mode. A store may be used from several
threads, which take turns.
"""

from kohaku.store.entries import Entry
from kohaku.store.hits import Hit
from kohaku.store.store import Store

__all__ = ["Entry", "Hit", "Store"]
