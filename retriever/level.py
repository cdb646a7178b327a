"""At which level of the tree a question is answered: a fact from paragraphs, an overview from sections or documents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kohaku.choices import Level
from kohaku.tree import Tier


@dataclass(frozen=True, slots=True)
class Decision:
    """The tier whose nodes are evidence, and what decided it, for people."""

    tier: Tier
    why: str


def decide(question: str, level: Level) -> Decision:
    """The level as the setting says it; where it says `auto`, as the question's words do.

    >>> [decide(text, "auto").tier.value for text in ("What is this report about?", "Summarise the risks of the site.")]
    ['document', 'section']
    >>> decide("How many of the main halls are overviewed in 2023?", "auto")
    Decision(tier=<Tier.PARAGRAPH: 'paragraph'>, why='"How many" asks for a fact')
    """
    if level != "auto":
        return Decision(Tier(level), "the setting")
    if found := _FACT.search(question):
        return Decision(Tier.PARAGRAPH, f'"{found[0].strip()}" asks for a fact')
    if found := _DOCUMENT.search(question):
        return Decision(Tier.DOCUMENT, f'"{found[0].strip()}" asks for a document as a whole')
    if found := _OVERVIEW.search(question):
        return Decision(Tier.SECTION, f'"{found[0].strip()}" asks for an overview')
    return Decision(Tier.PARAGRAPH, "no word asks for an overview")


_NUMBER = r"(?:two|three|four|five|six|seven|eight|nine|ten|\d+)"
_MAIN = r"(?:main|key|major|central|principal|most important|overall)"
_FACT = re.compile(
    r"\bhow (?:many|much|long|large|big|high|low|old|fast|often|far|heavy|tall|deep|wide)\b|\bwhen\b|\bwho(?:m|se)?\b|"
    r"\b(?:what|which) (?:year|date|day|month|percentage|percent|share|number|amount|value|size|version|model|name)\b|"
    rf"\b{_NUMBER} {_MAIN}\b|\bexplain why\b|\btrue or false\b|\byes or no\b|"
    r"^(?:does|do|did|is|are|was|were|has|have|had)\b|"
    r"多少|几个|幾個|何时|何時|什么时候|什麼時候|哪一年|谁|誰|いつ|何年|いくつ|いくら",
    re.IGNORECASE,
)
_THING = (
    r"(?:document|paper|report|filing|article|study|book|file|thesis|manual|text|chapter|pdf|presentation|memo|"
    r"policy)s?"
)
_POINTS = (
    r"(?:findings?|points?|ideas?|messages?|conclusions?|contributions?|takeaways?|topics?|themes?|results|claims?)"
)
_END = r"\s*[?.!]*$"  # "What does it say?" asks for all of it, "What does it say about water?" does not
_DOCUMENT = re.compile(
    rf"\bwhat(?: (?:is|are|was|does|do|this|the|these)|['’]s)\b.{{0,80}}\b{_THING}\b.{{0,40}}"
    rf"\b(?:(?:about|says?|proposes?|argues?){_END}|covers?\b|discuss(?:es)?\b|deals? with\b|conclude)|"
    rf"\b(?:summar\w+|sum up|overview|outline|gist|abstract|purpose|tl;?dr|brief me)\b.{{0,40}}"
    rf"\b(?:this|the|these|each|every|that) (?:\w+ ){{0,3}}{_THING}\b|"
    rf"\b{_MAIN} {_POINTS}\b.{{0,60}}\b{_THING}\b|\b{_THING}['’]s? {_MAIN} {_POINTS}\b|"
    r"(?:文档|文檔|文章|论文|論文|报告|報告|文件).{0,12}(?:讲|講|关于|關於|主要内容|主要內容|概述|总结|總結|摘要)|この(?:文書|論文|報告書)",
    re.IGNORECASE,
)
# What has many sides: the main customers of a firm are facts, its main risks are a matter of sections.
_MATTERS = (
    r"(?:challenges|strategies|approaches|trends|themes|topics|risks|drivers|limitations|(?:dis)?advantages|benefits|"
    r"drawbacks|pros and cons|implications|recommendations|findings|conclusions|points|ideas|issues|differences|"
    r"similarities|principles|goals|objectives|priorities|measures|steps|efforts|initiatives|lessons|arguments|concerns)"
)
_TREATED = r"(?:approach|manage|address|handle|tackle|govern|mitigate|deal with|respond to)"
_OVERVIEW = re.compile(
    rf"\b(?:overview|summary|outline)(?: of\b| on\b|(?:,? please)?{_END})|"
    r"\b(?:give|write|provide|make|prepare|need|want)\b.{0,30}\b(?:overview|summary|outline)\b|"
    r"\b(?:summari[sz]e|outline|describe|discuss|explain)\b|\bin general\b|\btell me (?:more )?about\b|"
    rf"\b{_MAIN} {_MATTERS}\b|\bwhat (?:are|were) the (?:\w+ )?{_MATTERS}\b|"
    rf"\b(?:what|which) {_MATTERS} (?:is|are|was|were|do|does|did|has|have|can|could|should)\b|"
    rf"\bhow (?:do|does|did) .{{1,60}}\b{_TREATED}\b|"
    r"^(?:please )?compare\b|概述|总结|總結|摘要|概要|まとめ|主要(?:内容|內容|趋势|趨勢|发现|發現|挑战|挑戰)",
    re.IGNORECASE,
)
