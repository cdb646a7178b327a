"""An index as a retriever of LlamaIndex's: `pip install 'kohaku[llamaindex]'`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from kohaku.doors.display import source_of
from kohaku.doors.searcher import Searcher
from kohaku.scope import EVERYWHERE, Scope


class KohakuRetriever(BaseRetriever):
    """The evidence for a query as LlamaIndex's nodes with scores, best first; as many as fit into the budget.

    Each has a node's text, the node's id, and metadata that cite it: doc, title, node, kind, pages (first and last),
    headings, score, tokens, of which a model is shown the first and the pages. Queries may come from several threads.
    The searcher stays open until `close`.
    """

    def __init__(self, searcher: Searcher, *, scope: Scope = EVERYWHERE) -> None:
        super().__init__()
        self.searcher, self.scope = searcher, scope

    @classmethod
    def open(cls, path: str | Path, *, scope: Scope = EVERYWHERE, **settings: Any) -> Self:
        """The retriever on the index at a path; further keyword arguments are settings (`budget=2000`)."""
        return cls(Searcher.open(path, **settings), scope=scope)

    def close(self) -> None:
        """Closes the index."""
        self.searcher.close()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = []
        for context in self.searcher.retrieve(query_bundle.query_str, scope=self.scope).contexts:
            source = source_of(context)
            hidden = [name for name in source if name not in ("doc", "pages")]
            node = TextNode(
                id_=context.node,
                text=context.text,
                metadata=source,
                excluded_llm_metadata_keys=hidden,
                excluded_embed_metadata_keys=list(source),
            )
            nodes.append(NodeWithScore(node=node, score=context.score))
        return nodes
