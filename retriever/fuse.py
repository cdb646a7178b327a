"""Many rankings to one: every hit votes for the paragraph it stands in, and agreement is counted before merging."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kohaku.choices import Fusion
from kohaku.tree import Tier
from retriever.search import Ranking, Source

Weights = Mapping[tuple[int, Source, Tier], float]
"""How far each ranking is trusted, by query, source and tier; 1 where nothing is said."""

FLOOR = 0.8  # of a full list's last score: what is not on it is taken to score so much there, and not nothing
SMOOTHING = 60  # Cormack et al. 2009: keeps one ranking's first place from deciding alone
APPEND = 4  # KohakuRAG's, of all queries together
FREQUENCY_SHARE = 0.4  # KohakuRAG's `combined`: 0.4 × frequency + 0.6 × score


@dataclass(frozen=True, slots=True)
class Vote:
    """One ranking's word for a paragraph: its place there, and its score as a share of that ranking's best.

    `floor` is the share that the ranking gives to what it doesn't hold, `score` the hit's own: a cosine, or BM25.
    """

    query: int
    source: Source
    tier: Tier
    rank: int
    share: float
    floor: float = 0.0
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Lift:
    """What a lifted score is the sum of: the fused score as a share of the best, and what stands around.

    `beside` is the key of the paragraph beside it that lifted it, 0 where none did; `piece` is below 0 where it is a
    further piece of a table.
    """

    own: float
    document: float = 0.0
    name: float = 0.0
    neighbour: float = 0.0
    beside: int = 0
    piece: float = 0.0

    @property
    def score(self) -> float:
        """The sum."""
        return self.own + self.document + self.name + self.neighbour + self.piece


@dataclass(frozen=True, slots=True)
class Ranked:
    """A paragraph with its score and the votes behind it; where it was lifted, how.

    Where it was reranked, `place` was its place before that, from 1, and `reranked` the score it got.
    """

    key: int
    score: float
    votes: tuple[Vote, ...]
    lift: Lift | None = None
    place: int = 0
    reranked: float | None = None


def fuse(
    rankings: Sequence[Ranking], home: Mapping[int, int], *, by: Fusion, weights: Weights, append: int = APPEND
) -> list[Ranked]:
    """Paragraphs, best first. `home` maps each hit's key to its paragraph's; ties break by key, the same every time.

    `append` is how many paragraphs that only words found stand after the others, where that is how lists are fused.
    """
    if by == "append":
        return _appended(rankings, home, append)
    least = floor(rankings, by=by, weights=weights)
    scored = [
        Ranked(key, least + _SCORES[by](votes, weights), tuple(votes)) for key, votes in collect(rankings, home).items()
    ]
    return sorted(scored, key=lambda ranked: (-ranked.score, ranked.key))


def settled(
    ranked: Sequence[Ranked], within: Sequence[Ranked], places: Mapping[int, str], documents: Collection[str]
) -> list[Ranked]:
    """The ranked, those of some documents with their scores of `within` instead, on the scale that they had.

    The best of each document keeps its score, so that no document gains on another. `places` are the documents by key.
    """
    before, after = ({places[one.key]: one.score for one in reversed(found)} for found in (ranked, within))
    last = ranked[-1].score if ranked else 0.0
    kept = [one for one in ranked if places[one.key] not in documents]
    for one in within:
        document = places[one.key]
        if document in documents:
            share = one.score / after[document] if after[document] > 0 else 1.0
            kept.append(replace(one, score=share * before.get(document, last)))
    return sorted(kept, key=lambda one: (-one.score, one.key))


def _appended(rankings: Sequence[Ranking], home: Mapping[int, int], most: int) -> list[Ranked]:
    """What was found by meaning, by `combined` with lists of one weight; then by words alone, query after query."""
    dense = fuse([one for one in rankings if one.source is Source.MEANING], home, by="combined", weights={})
    by_words = [one for one in rankings if one.source is Source.WORDS and one.tier is Tier.PARAGRAPH]
    votes = collect(by_words, home)
    known = {found.key for found in dense}
    more = [key for key in votes if key not in known][:most]
    last = dense[-1].score if dense else 1.0
    scores = (last * (len(more) - place) / (len(more) + 1) for place in range(len(more)))
    return dense + [Ranked(key, score, tuple(votes[key])) for key, score in zip(more, scores, strict=True)]


def floor(rankings: Sequence[Ranking], *, by: Fusion, weights: Weights) -> float:
    """The score of a paragraph that no ranking holds."""
    return _SHARES.get(by, 0.0) * sum(_weight(ranking, weights) * _floor(ranking) for ranking in rankings)


def collect(rankings: Sequence[Ranking], home: Mapping[int, int]) -> dict[int, list[Vote]]:
    """The votes for each paragraph; a ranking votes once for a paragraph, by the best of its hits there."""
    votes: dict[int, list[Vote]] = defaultdict(list)
    for ranking in rankings:
        best, least = _best(ranking), _floor(ranking)
        seen: set[int] = set()
        for hit in ranking.hits:
            key = home.get(hit.key)
            if key is not None and key not in seen:
                seen.add(key)
                share = max(hit.score / best, 0.0) if best > 0 else 0.0
                votes[key].append(Vote(ranking.query, ranking.source, ranking.tier, len(seen), share, least, hit.score))
    return votes


def _best(ranking: Ranking) -> float:
    return max((hit.score for hit in ranking.hits), default=0.0)


def _floor(ranking: Ranking) -> float:
    best = _best(ranking)
    return FLOOR * max(ranking.floor, 0.0) / best if best > 0 else 0.0


def _rrf(votes: Sequence[Vote], weights: Weights) -> float:
    return sum(_weight(vote, weights) / (SMOOTHING + vote.rank) for vote in votes)


def _frequency(votes: Sequence[Vote], weights: Weights) -> float:
    # The share of the best score only orders paragraphs found equally often.
    return len({vote.query for vote in votes}) + max(vote.share for vote in votes) / 2


def _score(votes: Sequence[Vote], weights: Weights) -> float:
    return sum(_weight(vote, weights) * (vote.share - vote.floor) for vote in votes)


def _combined(votes: Sequence[Vote], weights: Weights) -> float:
    frequency = len({vote.query for vote in votes})
    return FREQUENCY_SHARE * frequency + (1 - FREQUENCY_SHARE) * _score(votes, weights)


def _weight(of: Vote | Ranking, weights: Weights) -> float:
    return weights.get((of.query, of.source, of.tier), 1.0)


_SCORES: Mapping[Fusion, Callable[[Sequence[Vote], Weights], float]] = {
    "rrf": _rrf,
    "combined": _combined,
    "frequency": _frequency,
    "score": _score,
}
_SHARES: Mapping[Fusion, float] = {
    "score": 1.0,
    "combined": 1 - FREQUENCY_SHARE,
}  # of a score that rankings' shares make
