"""An index as a retriever of LangChain's: `pip install 'kohaku[langchain]'`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from kohaku.doors.display import source_of
from kohaku.doors.searcher import Searcher
from kohaku.scope import EVERYWHERE, Scope


class KohakuRetriever(BaseRetriever):
    """The evidence for a query as LangChain's documents, best first; as many as fit into the searcher's budget.

    Each has a node's text, the node's id as its `id`, and metadata that cite it: doc, title, node, kind, pages (first
    and last), headings, score, tokens. Queries may come from several threads. The searcher stays open until `close`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    searcher: Searcher
    scope: Scope = EVERYWHERE

    @classmethod
    def open(cls, path: str | Path, *, scope: Scope = EVERYWHERE, **settings: Any) -> Self:
        """The retriever on the index at a path; further keyword arguments are settings (`budget=2000`)."""
        return cls(searcher=Searcher.open(path, **settings), scope=scope)

    def close(self) -> None:
        """Closes the index."""
        self.searcher.close()

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.searcher.retrieve(query, scope=self.scope).contexts
        return [Document(context.text, id=context.node, metadata=source_of(context)) for context in found]
