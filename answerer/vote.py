"""Runs of the same questions become one: for each question, the row that most of what is known speaks for.

The other columns come from one run that gives the voted value, so that no row mixes two answers; only the references
are voted on by themselves (and, in the mode `independent`, apart from the value).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from answerer.ballots import BLANK_CLASS, Ballot, Row, ballots_of, commonest, listed, located
from answerer.references import write_references
from answerer.reliability import reliabilities, weight
from answerer.submission import COLUMNS, UNANSWERED, harmless, harmless_value
from answerer.values import BLANK
from kohaku.choices import Blanks, Tiebreak, VoteMode

UNKNOWN = 0.5
"""How far a run is trusted that shares no answered question with another."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How votes are counted; what is None is as the mode has it.

    Blanks count like a value, except that `weighted` lets them win as most of all only. Ties go to the run named
    first, but in `weighted` to what no order of the runs changes: the value that more runs give, numbers first, the
    smaller before the greater.
    """

    mode: VoteMode = "weighted"
    blanks: Blanks | None = None
    tiebreak: Tiebreak | None = None

    @property
    def weighted(self) -> bool:
        """Whether runs weigh what they are worth, or all the same."""
        return self.mode == "weighted"

    @property
    def blanks_win_as(self) -> Blanks:
        """When abstentions win."""
        return self.blanks or ("most" if self.weighted else "count")

    @property
    def by_order(self) -> bool:
        """Whether what is equal otherwise goes by the order of the runs."""
        return self.tiebreak == "first" or not self.weighted


@dataclass(frozen=True, slots=True)
class Voted:
    """A question's row, and how far the runs agree on it.

    `confidence` is the share of all votes, by weight, that the value has; `lead` is the run whose row it is, None where
    a tie made an abstention; `runs` are those that gave the value, `values` all values with the runs behind each, most
    votes first; `references` the share of the winners' votes of each document.
    """

    row: dict[str, str]
    confidence: float
    lead: int | None = None
    runs: tuple[int, ...] = ()
    values: tuple[tuple[str, tuple[int, ...]], ...] = ()
    references: dict[str, float] = field(default_factory=dict)

    @property
    def is_blank(self) -> bool:
        """Whether the runs together abstain."""
        return self.row["answer_value"] == BLANK


def vote(runs: Sequence[Mapping[str, Row]], rules: Rules) -> list[Voted]:
    """One row a question out of runs, each its rows by question id; a question that only some runs have counts too.

    Questions stand in the order of the first run; one that it lacks stands behind what is before it in the next.
    """
    cast = ballots_of(runs)
    return elect(cast, rules, trust(cast))


def elect(questions: Iterable[Sequence[Ballot]], rules: Rules, trusted: Mapping[int, float]) -> list[Voted]:
    """The outcome for every question; in the mode `weighted` runs weigh as far as they are trusted."""
    return [_outcome(_weighed(one, trusted) if rules.weighted else one, rules) for one in questions]


def trust(questions: Sequence[Sequence[Ballot]], kinds: Mapping[int, object] | None = None) -> dict[int, float]:
    """How often each run is taken to be right where it gives a value, learned from all questions together.

    Abstentions are left out: how well a run knows what it can't answer is nothing that agreement on values tells.
    Runs of one kind are trusted alike.
    """
    found = reliabilities(({b.run: b.label for b in one if b.label != BLANK_CLASS} for one in questions), kinds)
    return {run: found.get(run, UNKNOWN) for run in sorted({b.run for one in questions for b in one})}


def agreement(cast: Sequence[Ballot], rules: Rules) -> int:
    """How many runs say one thing at most, of what may win by itself."""
    by_references = rules.mode == "ref_priority"
    sides = Counter((b.label, b.documents if by_references else frozenset()) for b in cast)
    if rules.blanks_win_as == "filter":
        sides = Counter({side: number for side, number in sides.items() if side[0] != BLANK_CLASS})
    return max(sides.values(), default=0)


def _weighed(cast: Sequence[Ballot], trusted: Mapping[int, float]) -> list[Ballot]:
    values = len({ballot.label for ballot in cast} - {BLANK_CLASS})
    return [replace(ballot, weight=weight(trusted[ballot.run], values)) for ballot in cast]


def _outcome(cast: Sequence[Ballot], rules: Rules) -> Voted:
    pool = cast
    if rules.blanks_win_as == "filter":
        pool = [ballot for ballot in cast if ballot.label != BLANK_CLASS] or cast
    if rules.mode == "ref_priority":
        pool = _largest(pool, lambda ballot: ballot.documents)
    label = _winner(pool, rules)
    winners = [ballot for ballot in pool if ballot.label == label]
    if label is None:
        return _voted(_undecided(cast[0].row), None, [b for b in cast if b.label == BLANK_CLASS], cast, {})
    lead = _lead(winners, rules)
    shares = _shares(pool if rules.mode == "independent" else winners)
    chosen = _references(winners, lead, shares, pool, rules)
    return _voted(_row(lead, chosen, pool), lead.run, winners, cast, shares)


def _voted(
    row: dict[str, str],
    lead: int | None,
    winners: Sequence[Ballot],
    cast: Sequence[Ballot],
    shares: dict[str, float],
) -> Voted:
    groups: dict[int, list[Ballot]] = defaultdict(list)
    for ballot in cast:
        groups[ballot.label].append(ballot)
    most_first = sorted(groups.items(), key=lambda group: (-_weight(group[1]), group[0] == BLANK_CLASS, group[0]))
    return Voted(
        row,
        round(_weight(winners) / _weight(cast), 4),
        lead,
        tuple(ballot.run for ballot in winners),
        tuple((_spelling(group), tuple(ballot.run for ballot in group)) for _, group in most_first),
        shares,
    )


def _winner(pool: Sequence[Ballot], rules: Rules) -> int | None:
    """The class that wins, None where a tie makes an abstention."""
    groups: dict[int, list[Ballot]] = defaultdict(list)
    for ballot in pool:
        groups[ballot.label].append(ballot)
    for label, group in groups.items():
        if 2 * len(group) > len(pool):
            return label
    if rules.blanks_win_as == "most":
        groups.pop(BLANK_CLASS, None)
    most = max(map(_weight, groups.values()))
    tied = [label for label, group in groups.items() if _weight(group) == most]
    if len(tied) == 1:
        return tied[0]
    if rules.tiebreak == "blank":
        return None
    if rules.by_order:
        return min(tied, key=lambda label: min(ballot.run for ballot in groups[label]))
    return min(tied, key=lambda label: (label == BLANK_CLASS, -len(groups[label]), label))


def _lead(winners: Sequence[Ballot], rules: Rules) -> Ballot:
    """The run whose row it is: among those with the winners' best spelling the most reliable, else the first."""
    spelling = _spelling(winners)
    able = [ballot for ballot in winners if ballot.value == spelling]
    if not rules.weighted:
        return min(winners, key=lambda ballot: ballot.run)
    if rules.by_order:
        return min(able, key=lambda ballot: (-ballot.weight, ballot.run))
    return min(able, key=lambda ballot: (-ballot.weight, not ballot.references, _cells(ballot.row)))


def _spelling(group: Sequence[Ballot]) -> str:
    """How a class's value is written: as most of the votes for it have it."""
    votes: dict[str, list[Ballot]] = defaultdict(list)
    for ballot in group:
        votes[ballot.value].append(ballot)
    return min(votes, key=lambda value: (-_weight(votes[value]), value))


def _shares(group: Sequence[Ballot]) -> dict[str, float]:
    """The share of a group's votes that each document has, by its name in lower case, most first.

    Among rows with a value, those that cite nothing are not counted: they only failed to say where it stands.
    """
    counted = [b for b in group if b.references or b.label == BLANK_CLASS]
    votes: dict[str, list[Ballot]] = defaultdict(list)
    for ballot in counted:
        for document in ballot.documents:
            votes[document].append(ballot)
    shares = {document: round(_weight(votes[document]) / _weight(counted), 4) for document in votes}
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


def _references(
    winners: Sequence[Ballot], lead: Ballot, shares: Mapping[str, float], pool: Sequence[Ballot], rules: Rules
) -> frozenset[str]:
    """The documents that are cited, by their names in lower case."""
    if rules.mode == "union":
        return frozenset().union(*(ballot.documents for ballot in winners))
    if rules.mode == "intersection":
        return lead.documents.intersection(*(ballot.documents for ballot in winners))
    if rules.mode in ("answer_priority", "ref_priority"):
        return _largest(winners, lambda ballot: ballot.documents)[0].documents
    if rules.mode == "independent":
        return _largest(pool, lambda ballot: ballot.documents)[0].documents
    chosen = frozenset(document for document, share in shares.items() if share > 0.5)
    if chosen or lead.label == BLANK_CLASS:
        return chosen
    citing = [ballot for ballot in winners if ballot.references]
    return (lead if lead.references or not citing else _lead(citing, rules)).documents


def _largest(pool: Sequence[Ballot], key: Callable[[Ballot], object]) -> list[Ballot]:
    """The ballots of the commonest kind, the first run's where several are."""
    groups: dict[object, list[Ballot]] = defaultdict(list)
    for ballot in pool:
        groups[key(ballot)].append(ballot)
    return max(groups.values(), key=lambda group: (len(group), -group[0].run))


def _row(lead: Ballot, chosen: frozenset[str], pool: Sequence[Ballot]) -> dict[str, str]:
    """The lead's row with the chosen references, and their URLs where a row of the pool gives them."""
    row = {column: harmless(lead.row.get(column, "")) or BLANK for column in COLUMNS}
    row |= {column: lead.row.get(column, "") or BLANK for column in ("id", "question", "answer_unit")}
    row["answer_value"] = harmless_value(lead.value)
    if chosen == lead.documents and len(chosen) == len(lead.references):
        documents, urls = lead.references, listed(lead.row.get("ref_url", ""))
    else:
        names = _names(lead, pool)
        documents = tuple(names[document] for document in _cited_order(chosen, lead, names))
        known = _urls(lead, pool)
        urls = tuple(known[name.casefold()] for name in documents if name.casefold() in known)
    row |= {"ref_id": write_references(documents), "ref_url": write_references(urls) if documents else BLANK}
    if lead.label == BLANK_CLASS and not documents:
        row["supporting_materials"] = BLANK
    return row


def _undecided(row: Row) -> dict[str, str]:
    """The row of an abstention that no run made: the runs differ, and none has more behind it."""
    kept = {column: row.get(column, "") for column in ("id", "question", "answer_unit")}
    said = {"answer": UNANSWERED, "explanation": "The runs give different values, and none has more votes."}
    return {column: {**kept, **said}.get(column) or BLANK for column in COLUMNS}


def _cited_order(chosen: frozenset[str], lead: Ballot, names: Mapping[str, str]) -> list[str]:
    """The chosen documents in the lead's order, then the others by name."""
    own = dict.fromkeys(name.casefold() for name in lead.references if name.casefold() in chosen)
    return [*own, *sorted(chosen - own.keys(), key=lambda document: names[document])]


def _names(lead: Ballot, pool: Iterable[Ballot]) -> dict[str, str]:
    """How each document is spelled: as the lead has it, else as most rows have it."""
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for ballot in pool:
        for name in ballot.references:
            spelled[name.casefold()][name] += 1
    return {document: commonest(names) for document, names in spelled.items()} | {
        name.casefold(): name for name in reversed(lead.references)
    }


def _urls(lead: Ballot, pool: Iterable[Ballot]) -> dict[str, str]:
    """Where each document is, by the rows that give one URL for each of theirs, the lead before all."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for ballot in pool:
        for name, url in located(ballot):
            found[name.casefold()][url] += 1
    return {document: commonest(urls) for document, urls in found.items()} | {
        name.casefold(): url for name, url in reversed(located(lead))
    }


def _weight(group: Iterable[Ballot]) -> float:
    """What a group's votes weigh together: an exact sum, rounded so that what is equal but for a last digit ties."""
    return round(math.fsum(ballot.weight for ballot in group), 9)


def _cells(row: Row) -> tuple[str, ...]:
    return tuple(row.get(column, "") for column in COLUMNS)
