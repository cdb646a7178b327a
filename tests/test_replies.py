from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from answerer.prompts import AnswerReply
from kohaku.errors import ReplyError
from kohaku.replies import parse, read_object, without_reasoning


class Reply(BaseModel):
    schema_name: ClassVar[str] = "reply"
    note: str = ""
    value: str
    ids: list[str]
    sure: bool = False
    useful: list[int] = []


FULL = '{"note": "n", "value": "4.3", "ids": ["a"]}'
READ = Reply(note="n", value="4.3", ids=["a"])


@pytest.mark.parametrize(
    "text",
    [
        FULL,
        f"Sure, here you go:\n```json\n{FULL}\n```\nAnything else?",
        f"Here is the result: {FULL} I hope that {{helps}}.",
        "{'note': 'n', 'value': '4.3', 'ids': ['a'],}",
        '{"note": "n", "value": "4.3", "ids": ["a",],}',
        '{note: "n", value: "4.3", ids: ["a"]}',
        f'<think>Perhaps {{"value": "9", "ids": ["z"]}} or {{</think>{FULL}',
        f'It may be {{"value": "9"}} or not.</think>\n{FULL}',
        f"<|channel|>analysis<|message|>{{hm}}<|end|><|start|>assistant<|channel|>final<|message|>{FULL}",
        f'{{"value": "9"}} No, wait: {FULL}',
        f'{{"response": {FULL}}}',
        f"[{FULL}]",
        f'I think {{it is "complicated: {FULL}',
        FULL[:-1],
        '{"Note": "n", "VALUE": "4.3", "Id": ["a"]}',
    ],
)
def test_a_reply_is_read_whatever_a_model_wraps_it_in(text: str) -> None:
    assert parse(text, Reply) == READ


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'm sorry, I looked at the snippets and think {it is complicated",
        "<think>The reply could be " + FULL,
        '"value": "4.3"',
        "{" * 3000,
        "[" * 100_000,
        '{"a":' * 3000,
        "null",
        '{"other": 1}',
    ],
)
def test_a_reply_without_a_readable_object_is_an_error_never_a_blank(text: str) -> None:
    with pytest.raises(ReplyError):
        parse(text, Reply)


@pytest.mark.parametrize("text", ["{}", '{"value": "4.3"}', '{"ids": ["a"]}'])
def test_a_reply_that_lacks_a_required_property_is_an_error_that_names_it(text: str) -> None:
    with pytest.raises(ReplyError, match=r"lacks|no JSON object"):
        parse(text, Reply)


@pytest.mark.parametrize("cut", range(1, len('{"ids": ["a"], "value": "1234')))
def test_a_cut_off_value_is_never_taken_for_a_whole_one(cut: int) -> None:
    with pytest.raises(ReplyError):
        parse('{"ids": ["a"], "value": "1234"}'[:cut], Reply)


@pytest.mark.parametrize("cut", ['{"ids": ["a"], "value": 12', "{'ids': ['a'], 'value': '12"])
def test_a_cut_off_number_or_single_quoted_value_is_not_taken_either(cut: str) -> None:
    with pytest.raises(ReplyError, match="value"):
        parse(cut, Reply)


@pytest.mark.parametrize(
    ("raw", "ids"),
    [
        ('"a, b"', ["a", "b"]),
        ('"a;b"', ["a", "b"]),
        ("\"['a', 'b']\"", ["a", "b"]),
        ('"[\\"a\\", \\"b\\"]"', ["a", "b"]),
        ('"a"', ["a"]),
        ('"the first, and the second"', ["the first, and the second"]),
        ('["a", "is_blank", null, ""]', ["a"]),
        ('"[1] and [2]"', ["[1] and [2]"]),
        ('"is_blank"', []),
        ('["is_blank"]', []),
        ("null", []),
        ("[2024, 1.5]", ["2024", "1.5"]),
        ('[{"quote": "q", "page": 3}]', ["q"]),
    ],
)
def test_a_list_is_read_from_what_models_write_for_one(raw: str, ids: list[str]) -> None:
    assert parse(f'{{"value": "", "ids": {raw}}}', Reply).ids == ids


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("null", ""),
        ("4", "4"),
        ("4.3", "4.3"),
        ("[1, 2.5]", "[1,2.5]"),
        ('["x"]', "x"),
        ("true", "True"),
        ('"\\ud835 \\u0000"', "� "),
    ],
)
def test_text_is_read_from_a_number_a_null_or_a_list(raw: str, value: str) -> None:
    assert parse(f'{{"value": {raw}, "ids": []}}', Reply).value == value


@pytest.mark.parametrize(
    ("raw", "sure"), [('"yes"', True), ("1", True), ("null", False), ('"is_blank"', True), ('"False"', False)]
)
def test_a_yes_or_no_is_read_from_words_and_numbers(raw: str, sure: bool) -> None:
    assert parse(f'{{"value": "", "ids": [], "sure": {raw}}}', Reply).sure is sure


@pytest.mark.parametrize("raw", ['"1, [3]"', '["[1]", "3."]', "[1, 3]", '"[1, 3]"'])
def test_numbers_of_candidates_are_read_from_any_list(raw: str) -> None:
    assert parse(f'{{"value": "", "ids": [], "useful": {raw}}}', Reply).useful == [1, 3]


@pytest.mark.parametrize(
    "broken",
    ['"value": {"a": 1}, "ids": []', '"value": "", "ids": [{"a": 1}]', '"value": "", "ids": [], "useful": ["x"]'],
)
def test_what_breaks_the_schema_is_an_error(broken: str) -> None:
    with pytest.raises(ReplyError, match="breaks its schema at"):
        parse("{" + broken + "}", Reply)


@given(st.text() | st.text(alphabet="{}[]\"':,\\`<>/think \n1a"))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert isinstance(read_object(text), dict)
    except ReplyError as error:
        assert "\n" not in str(error)


WORDS = st.text(max_size=6)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=50)
@given(st.dictionaries(WORDS, JSON, max_size=3), st.sampled_from(["{}", "```json\n{}\n```", "Well: {} Done."]))
def test_any_object_comes_back_as_it_was_sent(value: dict[str, Any], around: str) -> None:
    assert read_object(around.replace("{}", json.dumps(value))) == value


@pytest.mark.parametrize(
    "piece",
    ['{"a":', "[", "{", '{"', '{"a": [{"b":', '{"a": 1,', "<think>", "<think>x</think>", '{"a": "\\', "{a: [b, "],
)
def test_a_reply_of_any_length_and_depth_is_read_or_refused_at_once(piece: str) -> None:
    """Each took a minute or more before: the whole suite would be felt to hang."""
    hostile = piece * (500_000 // len(piece))
    with pytest.raises(ReplyError):
        parse(hostile, AnswerReply)
    whole = '{"answer": "5", "answer_value": "5", "ref_id": ["a"], "is_blank": false}'
    assert parse(f"{whole} {'.' * 300_000}", AnswerReply).answer == "5"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<think>b</thought>c</think>d", "ad"),
        ("a<think>b", "a"),
        ("a</think>b</thought>c", "c"),
        ("<thought>a</think>b", "b"),
        ("a<think>b<thought>c</thought>d", "a"),
        ("a<think>b</think>c<think>d</think>e", "ace"),
    ],
)
def test_thought_is_told_from_the_reply_by_its_tags(text: str, left: str) -> None:
    assert without_reasoning(text) == left
