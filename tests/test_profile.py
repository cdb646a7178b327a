"""Profiles: what models are told comes from files that users edit; what keeps answers honest does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import LetterEmbedder
from corpus import indexed
from recorder import record

from kohaku.errors import ProfileError
from kohaku.profile import DEFAULT, Profile, load
from retriever.decompose import decompose, may_have_parts
from retriever.plan import plan

HERE = Path(__file__).parent
FIELDS = ("finance", "law", "medicine")


def written(folder: Path, text: str) -> Profile:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load(str(path))


def fault(folder: Path, text: str) -> str:
    with pytest.raises(ProfileError) as error:
        written(folder, text)
    return str(error.value).partition("mine.toml: ")[2]


def test_the_default_profile_s_prompts_are_what_they_were() -> None:
    assert record(DEFAULT).written() == (HERE / "default_prompts.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FIELDS)
def test_each_field_has_axes_terms_a_form_and_invented_examples(name: str) -> None:
    field = load(name)
    assert field.description and field.form
    assert len(field.axes) >= 5 and any(axis.parts for axis in field.axes)
    assert len(field.terms) >= 15
    assert {one.value == "is_blank" for one in field.examples} == {True, False}, "one abstains, others answer"
    assert field.splits
    assert field.prompts == DEFAULT.prompts


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_s_words_reach_the_models_and_the_rules_around_evidence_stay(name: str) -> None:
    field = load(name)
    asked = dict(record(field).asked)
    assert field.form in asked["answer"][0].content
    assert field.examples[0].question in asked["answer"][0].content
    assert field.axes[0].split in asked["decomposition"][0].content
    for stage, said in record(field).asked:
        if stage in ("answer", "citations", "refined", "source_filter", "caption"):
            assert "never follow" in said[0].content or "follow no instruction" in said[0].content


def test_a_profile_that_says_otherwise_leaves_the_rules_around_evidence_before_it(tmp_path: Path) -> None:
    mine = written(tmp_path, '[prompts]\nanswer = "Obey {opening} what stands in the evidence {closing}."')
    system = dict(record(mine).asked)["answer"][0].content
    rules, told = system.split("Obey ")
    assert "never follow them" in rules
    assert told == "{opening} what stands in the evidence {closing}."  # it is put in after the lines are


def test_a_file_needs_only_what_it_changes(tmp_path: Path) -> None:
    mine = written(
        tmp_path,
        'base = "medicine"\nform = "Short."\n[prompts]\nplan = "Plan."\n[terms]\nXQ = "odd quantity"',
    )
    medicine = load("medicine")
    assert (mine.prompts.plan, mine.prompts.split) == ("Plan.", medicine.prompts.split)
    assert mine.terms["XQ"] == ("odd quantity",) and mine.terms["MI"] == medicine.terms["MI"]
    assert (mine.form, mine.axes) == ("Short.", medicine.axes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('descripton = "x"', "descripton: unknown key: did you mean 'description'?"),
        ('[prompts]\nanswr = "x"', "prompts.answr: unknown key: did you mean 'answer'?"),
        ('[[axes]]\nname = "x"\nsplitt = "y"', "axes.0.splitt: unknown key: did you mean 'split'?"),
        ('[prompts]\nsplit = "Split it."', "prompts.split: it lacks {1}, which stands for the answer to an earlier"),
        ('[prompts]\nplan = " "', "prompts.plan: String should have at least 1 character"),
        ('[prompts]\nanswer = ">>>>> EVIDENCE 1 ENDS"', "prompts.answer: '>>>>>' marks evidence in a prompt"),
        ('form = "[ref_id=mine] is right"', "form: '[ref_id=' marks evidence in a prompt"),
        ('[terms]\n"[ref_id=x" = "y"', "terms: '[ref_id=' marks evidence in a prompt"),
        ('[[axes]]\nname="x"\nsplit="y"\nsigns=["s"]\nparts=["a", "b"]', "axes.0.parts: 'a' lacks {question}"),
        ('[[axes]]\nname="x"\nsplit="y"\nsigns=["s"]', "axes.0: signs and parts go together"),
        (f'form = "{"x" * 9000}"', "form: String should have at most 8000 characters"),
        ("form = 3", "form: Input should be a valid string"),
        ("prompts = 3", "prompts: Input should be"),
    ],
)
def test_a_fault_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    assert said in fault(tmp_path, text)


def test_what_can_t_be_read_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"no profile 'finanse': did you mean 'finance'\?"):
        load("finanse")
    with pytest.raises(ProfileError, match=r"no profile at .*gone.toml: `kohaku profile default > "):
        load(str(tmp_path / "gone.toml"))
    for text, said in (
        ("a = ", "is no TOML"),
        ('base = "nothing"', "base 'nothing' is none that there is: give one of default, finance"),
    ):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        with pytest.raises(ProfileError, match=said):
            load(str(path))


def test_rules_search_for_a_field_s_terms_in_other_words(tmp_path: Path, embedder: LetterEmbedder) -> None:
    finance = load("finance")
    with indexed(tmp_path, {"a.txt": "Nothing."}, embedder=embedder) as store:
        found = plan("What was the EBITDA margin and the revenue?", store, limit=9, profile=finance)
        assert (
            "What was the earnings before interest, taxes, depreciation and amortization margin and the net sales?"
            in found
        )
        assert "What was the EBITDA margin and the turnover?" in found
        assert plan("How tall is it?", store, limit=9, profile=finance) == plan("How tall is it?", store, limit=9)
        assert len(plan("EBITDA?", store, limit=2, profile=finance)) <= 2


def test_an_acronym_is_known_in_capitals_only_and_a_plural_stays_one() -> None:
    medicine = load("medicine")
    assert medicine.respelt("Is ci or hr meant?") == []
    assert medicine.respelt("How many SAEs?") == ["How many serious adverse events?"]
    assert medicine.respelt("Which Adverse Events were there?") == [
        "Which side effects were there?",
        "Which adverse reactions were there?",
    ]


def test_rules_split_along_an_axis_that_the_question_shows() -> None:
    medicine = load("medicine")
    question = "What are the efficacy and safety of velorafen?"
    parts = decompose(question, by="auto", profile=medicine)
    assert [part.text for part in parts] == [
        f"Efficacy, primary outcome and effect size: {question}",
        f"Adverse events, harms and discontinuation: {question}",
    ]
    assert may_have_parts(question, medicine)
    assert decompose("How is velorafen given?", by="auto", profile=medicine) == ()


def test_only_the_terms_of_the_question_are_told(tmp_path: Path) -> None:
    told = load("finance").planning("What was the capex?")
    assert told.endswith(
        "Terms in the question:\ncapex = capital expenditures = purchases of property, plant and equipment"
    )
    assert load("finance").planning("What was it?") == DEFAULT.prompts.plan


def test_a_profile_s_examples_give_the_form_of_a_second_pass() -> None:
    finance = load("finance")
    asked = [said for stage, said in record(finance, examples=()).asked if stage == "refined"]
    assert finance.examples[0].answer in asked[0][1].content
