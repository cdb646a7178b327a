"""Right words in the wrong place: a value that stands in the evidence for something else than what is asked is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus import use_letters, write
from fake_server import FakeServer, Step, says
from test_engine import asked_for

import kohaku
from answerer.aim import aim
from answerer.answer import Answer, How, Question
from answerer.attached.checks import name_is_of_other
from answerer.grid import places
from answerer.prompts import AnswerReply
from answerer.reader import checked
from kohaku.tree import Kind
from retriever.evidence import Context

ACCOUNTS = """Results (in millions of euros)

| | 2023 | 2022 |
| --- | --- | --- |
| Revenue | 3,500 | 3,210 |
| Cost of revenue | 2,050 | 1,940 |
| Operating margin (%) | 12.5 | 11.0 |
| Earnings per share (€) | 4.10 | 3.72 |"""
WORKS = """Table 4: Output of the works, in thousands of tonnes
| Works | 2021 | 2022 |
| --- | --- | --- |
| Lund | 41.5 | 44.0 |
| Oslo | 38.2 | 37.9 |"""
BANK = "Assets\n\n($ in billions)\n\n| Item | Amount |\n| --- | --- |\n| Cash | 7.2 |\n| Debt | 18.4 |"
MODELS = """| Model | Parameters (millions) | Energy (kWh) | Accuracy |
| --- | --- | --- | --- |
| Alpha | 110 | 37 | 0.81 |
| Beta | 340 | 96 | 0.86 |"""
HEALTH = """Incidence per 1,000 inhabitants
| Region | 2020 | 2021 |
| --- | --- | --- |
| North | 3.5 | 4.1 |
| South | 2.2 | 2.9 |"""
SHARES = "Share of energy by source (%)\n| Source | Share |\n| --- | --- |\n| Hydro | 62 |\n| Gas | 11 |"
INCOME = """Income ($ in thousands, except per share data)
| | 2024 | 2023 |
| --- | --- | --- |
| Net sales | 48,210 | 45,900 |
| Net loss | (1,204) | (960) |
| Diluted EPS | 0.42 | 0.35 |"""
HALL = "The canteen served 4,310 meals and 2,980 desserts in May. The hall has 97 pumps and 12 chillers, 5 of them new."
YEARS = "Revenue was 5.1 million crowns in 2022 and 6.2 million crowns in 2023. In 2021, it had been 4.4 million."
SACKS = "In the first quarter the mill sold 410 sacks, in the second quarter 388 sacks, and in the third 452 sacks."
CHANGES = "Output fell by 30 MWh to 410 MWh. The fee was raised from 40 to 55 crowns. Staff grew by 12 to 85 people."
RANGES = "The kiln draws between 80 and 95 kW. Prices range from 12 to 19 crowns a kilo."
DENIED = (
    "The bridge is not 140 m long, as was long believed, but 152 m. The tower never reached 90 m; it stands 76 m high."
)
LISTED = "The kiln and the forge used 52 and 71 MWh, respectively."
FIRM = "The firm was founded in 1987 in Bergen, acquired by Holm in 2004, and listed in 2011."
PEOPLE = "Alma Brandt leads the sales department and Carl Diaz leads research. The atlas was printed by Ode Press."
LINES = "The pilot line handles 14 crates an hour; the main line handles 60 crates an hour."
RAIL = "The share of rail rose from 10% to 15%, that is by 5 percentage points or 50 percent."
FUND = "The fund holds A$40 million in cash and CHF 25 million in bonds. The museum earned €3.2 million in 2023."
MEMBERS = "The members are Denmark, Norway, Sweden and Iceland. Observers are Poland and Estonia."
KUEHLER = "Das Werk hat 97 Pumpen und 12 Kühler."
POWER = "该工厂2022年用电120兆瓦时，2023年用电150兆瓦时。"
FIRMS = "Rask has 1,200 employees. Holm has 800 employees. Ada Lund founded Rask. Bo Ek founded Holm."
PLANT = "The plant has 97 pumps. It also has 12 chillers."
PLANS = "Holm plans to have 1,200 employees by 2030; it has 800 employees."
FALSE = "It is false that Holm has 1,200 employees. It has 800 of them, all employees of its own."
LOSS = "The net loss was 450 crowns. The mill's sales came to 900 crowns."
PROFIT = "Net income was 450 crowns."
NEXT_YEAR = "Revenue was 5.1 crowns in 2022, and 6.2 crowns the following year."
YEAR_BEFORE = "In 2023 revenue rose to 6.2 million crowns from 5.1 million crowns a year earlier."
OVEN = "The oven reaches 482 °F. Use rose from 120 kWh in June to 150 kWh in July. Of 48 racks 12 are empty."
SHARE = "Exports were 30 percent of sales; it fell by 12 percent."
GREW = "Exports, which grew 12% last year, were 30% of sales."
SINCE = "Since the hall opened in 2021, sales have been 40 crowns a day. Sales in 2021 were 35 crowns."
FOUNDED = "Rask, founded in 2021, has 120 people today. In 2021, it had 9 people."
TARGET = "The target for 2023 was 500 sacks. The mill sold 430 sacks in 2023."
FORECAST = "For 2023, the museum had forecast 9,000 visitors. Only 7,400 came."

CASES = [  # question, unit, text, right, wrong
    ("What was revenue in 2023?", "euros", ACCOUNTS, "3,500,000,000", "3,500"),
    ("What was revenue in 2022?", "million euros", ACCOUNTS, "3210", "3210000"),
    ("What was the cost of revenue in 2023?", "EUR", ACCOUNTS, "2050000000", "2050000"),
    ("What was revenue in 2023?", "million euros", ACCOUNTS, "3500", "2050"),
    ("What was revenue in 2022?", "million euros", ACCOUNTS, "3210", "3500"),
    ("What was the operating margin in 2023?", "percent", ACCOUNTS, "12.5", "12500000"),
    ("What were earnings per share in 2022?", "euros", ACCOUNTS, "3.72", "3720000"),
    ("How much did the works at Lund put out in 2022?", "tonnes", WORKS, "44000", "44"),
    ("How much did the works at Oslo put out in 2021?", "thousand tonnes", WORKS, "38.2", "38200"),
    ("How much cash is there?", "USD", BANK, "7200000000", "7.2"),
    ("How much debt is there?", "million USD", BANK, "18400", "18.4"),
    ("How many parameters has Beta?", "parameters", MODELS, "340000000", "340"),
    ("How much energy does Alpha need?", "kWh", MODELS, "37", "37000000"),
    ("How much energy does Beta need?", "kWh", MODELS, "96", "340"),
    ("What is the accuracy of Beta?", "percent", MODELS, "86", "0.86"),
    ("What was the incidence in the North in 2021?", "cases per 100,000", HEALTH, "410", "4.1"),
    ("What was the incidence in the South in 2021?", "cases per 1,000", HEALTH, "2.9", "2.2"),
    ("What fraction of energy comes from hydro?", "fraction", SHARES, "0.62", "62"),
    ("What share of energy comes from gas?", "percent", SHARES, "11", "62"),
    ("What were net sales in 2024?", "USD", INCOME, "48210000", "48210"),
    ("What was diluted EPS in 2024?", "USD", INCOME, "0.42", "420"),
    ("What was the net loss in 2024?", "USD", INCOME, "-1204000", "-1204"),
    ("How many chillers has the hall?", "chillers", HALL, "12", "97"),
    ("How many desserts did the canteen serve in May?", "", HALL, "2980", "4310"),
    ("How many of the chillers are new?", "", HALL, "5", "97"),
    ("What was revenue in 2023?", "crowns", YEARS, "6200000", "5100000"),
    ("What was revenue in 2021?", "crowns", YEARS, "4400000", "6200000"),
    ("How many sacks did the mill sell in the second quarter?", "sacks", SACKS, "388", "410"),
    ("How many sacks did the mill sell in Q3?", "sacks", SACKS, "452", "388"),
    ("To what did output fall?", "MWh", CHANGES, "410", "30"),
    ("By how much did output fall?", "MWh", CHANGES, "30", "410"),
    ("What is the fee now?", "crowns", CHANGES, "55", "40"),
    ("What was the fee before it was raised?", "crowns", CHANGES, "40", "55"),
    ("What is the premium now?", "crowns", "The premium was raised from 40 to 55 crowns.", "55", "40"),
    ("How many people are on the staff?", "people", CHANGES, "85", "12"),
    ("What is the most that the kiln draws?", "kW", RANGES, "95", "80"),
    ("What is the lowest price?", "crowns", RANGES, "12", "19"),
    ("How much does the kiln draw?", "kW", RANGES, "80-95", "80"),
    ("How long is the bridge?", "m", DENIED, "152", "140"),
    ("How high is the tower?", "m", DENIED, "76", "90"),
    ("How much did the forge use?", "MWh", LISTED, "71", "52"),
    ("When was the firm founded?", "", FIRM, "1987", "2011"),
    ("When was the firm acquired by Holm?", "", FIRM, "2004", "1987"),
    ("Who leads research?", "", PEOPLE, "Carl Diaz", "Alma Brandt"),
    ("How many crates an hour does the main line handle?", "crates", LINES, "60", "14"),
    ("By how many percentage points did the share of rail rise?", "percentage points", RAIL, "5", "50"),
    ("By what percent did the share of rail rise?", "percent", RAIL, "50", "5"),
    ("How much cash does the fund hold?", "AUD", FUND, "40000000", "25000000"),
    ("Which countries are members?", "", MEMBERS, "Denmark, Norway, Iceland", "Denmark, Norway, Poland"),
    ("How many Kühler has the plant?", "Kühler", KUEHLER, "12", "97"),
    ("该工厂2023年用电多少？", "MWh", POWER, "150", "120"),
    ("How hot does the oven get?", "°C", OVEN, "250", "482"),
    ("How many employees work at Holm?", "employees", FIRMS, "800", "1200"),
    ("How many employees work at Rask?", "employees", FIRMS, "1200", "800"),
    ("Who founded Holm?", "", FIRMS, "Bo Ek", "Ada Lund"),
    ("Who founded Rask?", "", FIRMS, "Ada Lund", "Bo Ek"),
    ("Who founded Holm?", "", "Rask was founded by Ada Lund. Holm was founded by Bo Ek.", "Bo Ek", "Ada Lund"),
    ("How many pumps does the plant have?", "", PLANT, "97", "12"),
    ("How many chillers does the plant have?", "", PLANT, "12", "97"),
    ("How many employees work at Holm?", "employees", PLANS, "800", "1200"),
    ("How many employees work at Holm?", "employees", FALSE, "800", "1200"),
    ("What was net income?", "crowns", LOSS, "-450", "450"),
    ("What was net income?", "crowns", "Net income was (450) crowns.", "-450", "450"),
    ("What was revenue in 2022?", "crowns", NEXT_YEAR, "5.1", "6.2"),
    ("What was revenue in 2023?", "crowns", NEXT_YEAR, "6.2", "5.1"),
    ("What was revenue in 2022?", "crowns", YEAR_BEFORE, "5100000", "6200000"),
    ("What was revenue in 2023?", "crowns", YEAR_BEFORE, "6200000", "5100000"),
    ("By how many percent did exports fall?", "percent", SHARE, "12", "30"),
    ("What share of sales were exports?", "percent", SHARE, "30", "12"),
    ("What was the growth of exports?", "percent", GREW, "12", "30"),
    ("By how much did exports grow?", "percent", "Exports grew 12% to 30% of sales.", "12", "30"),
    ("What were sales in 2021?", "crowns", SINCE, "35", "40"),
    ("How many people worked at Rask in 2021?", "people", FOUNDED, "9", "120"),
    ("How many sacks did the mill sell in 2023?", "sacks", TARGET, "430", "500"),
    ("What was the target for 2023?", "sacks", TARGET, "500", "430"),
    (
        "What was the PUE in 2023?",
        "",
        "The site aimed for a PUE of 1.15 in 2023. The actual PUE was 1.22.",
        "1.22",
        "1.15",
    ),
    ("How many visitors came in 2023?", "visitors", FORECAST, "7400", "9000"),
    ("How large is the hall?", "m2", "The hall was to be 900 m2 by the first design. It is 740 m2.", "740", "900"),
    ("How many people has Rask?", "people", "Rask has 120 people. By 2030 it hopes to have 300 people.", "120", "300"),
]


def answered(question: str, unit: str, text: str, value: str, said: str = "") -> Answer:
    reply = {"explanation": said, "answer": value, "answer_value": value, "ref_id": ["doc"], "quotes": []}
    context = Context("doc", "", "doc:p1", Kind.PARAGRAPH, (1, 1), (), 1.0, text, 50)
    return checked(Question("q", question, unit), [context], AnswerReply.model_validate(reply))


@pytest.mark.parametrize(("question", "unit", "text", "right", "wrong"), CASES)
def test_what_stands_there_for_something_else_is_told_and_what_is_asked_is_kept(
    question: str, unit: str, text: str, right: str, wrong: str
) -> None:
    assert answered(question, unit, text, right).is_grounded
    bad = answered(question, unit, text, wrong)
    assert not bad.is_blank and not bad.is_grounded and bad.references == ("doc",)


@pytest.mark.parametrize(
    ("question", "unit", "text", "value"),
    [
        ("What was the net loss?", "crowns", LOSS, "450"),
        ("What was net income?", "crowns", PROFIT, "450"),
        ("What was net income (loss)?", "crowns", LOSS, "450"),
        ("What was the operating profit?", "crowns", "A loss of sales cost the mill an operating profit of 5.", "5"),
        ("How many employees does Holm plan to have?", "employees", PLANS, "1200"),
        ("How many employees will Holm have by 2030?", "employees", PLANS, "1200"),
        ("How many people work for Holm?", "people", "The firm plans a move; it has 1,200 people.", "1200"),
        ("How many people work for Holm?", "people", "Rask owns Holm. Holm has 800 people.", "800"),
        ("How many people has Rask?", "people", "Rask has 1,200 people. Rask Foundry has 800 people.", "1200"),
        ("How many pumps has the plant?", "", "The plant has 97 pumps. It also has 12 of another make.", "12"),
        ("How many people has the owner of Holm?", "", "Rask has 1,200 people. Holm has 800 people.", "1200"),
        ("How many people are with Holm?", "", "Rask has 1,200 people. Holm has 800 people. Rask is Holm now.", "1200"),
        ("How many pumps were used?", "", "We used 512 PX3s. The hall has 97 pumps.", "512"),
        ("How many people has Holm?", "", "Holm, which plans to grow, has 80 people, and 30 people are old.", "80"),
        ("Who leads Holm?", "", "Ada Lund leads the board of Holm. Bo Ek leads Rask.", "Ada Lund"),
        ("By how much did exports fall?", "percent", "Exports fell by 12% of sales, and imports by 30%.", "12"),
        ("What were sales in 2021?", "crowns", "Since it opened in 2021, the hall has sold for 40 crowns.", "40"),
        (
            "How many sacks will the mill sell in 2030?",
            "sacks",
            "In 2030 it will sell 500 sacks; it sold 430 sacks.",
            "500",
        ),
        ("How many staff had the project?", "", "The project had 12 staff. The mill had 9 staff.", "12"),
        ("What is the capacity in 2030?", "t", "Capacity is to be 90 t in 2030. It is 70 t.", "90"),
    ],
)
def test_what_is_said_in_a_like_shape_of_what_is_asked_is_kept(question: str, unit: str, text: str, value: str) -> None:
    assert answered(question, unit, text, value).is_grounded


@pytest.mark.parametrize(
    ("statement", "text", "says"),
    [
        ("Holm is profitable.", "Holm is hardly profitable.", False),
        ("Holm is profitable.", "Holm is hardly surprisingly profitable.", True),
        ("Holm uses coal power.", "Holm stopped using coal power in 2020.", False),
        ("Holm stopped using coal power.", "Holm stopped using coal power in 2020.", True),
        ("Holm uses coal power.", "It is false that Holm uses coal power.", False),
        ("Holm uses coal power.", "Nobody says that Holm uses coal power.", False),
        ("Holm uses coal power.", "Nobody doubts that Holm uses coal power.", True),
        ("Holm acquired Rask.", "Rask acquired Holm.", False),
        ("Holm acquired Rask.", "Holm was acquired by Rask.", False),
        ("Holm acquired Rask.", "Holm acquired Rask in May.", True),
        ("Holm acquired Rask.", "Rask was acquired by Holm.", True),
        ("Holm merged with Rask.", "Rask merged with Holm.", True),
        ("The plant has 12 pumps.", "The plant has 12 valves and some pumps.", False),
        ("The plant has 12 pumps.", "The plant has 12 new pumps and 3 valves.", True),
    ],
)
def test_a_statement_is_true_where_a_sentence_says_it_and_not_its_reverse(
    statement: str, text: str, says: bool
) -> None:
    assert answered(f"True or False: {statement}", "", text, "1").is_grounded is says


@pytest.mark.parametrize(
    ("question", "unit", "text", "value"),
    [
        ("What was the net loss?", "crowns", PROFIT, "450"),
        ("What was revenue in 2023?", "USD", ACCOUNTS, "3500000000"),
        ("What was revenue in 2023?", "million USD", ACCOUNTS, "3500"),
        ("What did the museum earn in 2023?", "USD", FUND, "3200000"),
        ("How much cash does the fund hold?", "USD", FUND, "40000000"),
        ("How much does the fund hold in bonds?", "euros", FUND, "25000000"),
        ("How much cash is there?", "EUR", BANK, "7200000000"),
    ],
)
def test_no_currency_or_profit_is_taken_for_another(question: str, unit: str, text: str, value: str) -> None:
    assert not answered(question, unit, text, value).is_grounded


@pytest.mark.parametrize(
    ("value", "unit", "said", "grounded"),
    [
        ("25", "percent", "(150 - 120) / 120 = 25 %", True),
        ("20", "percent", "(150 - 120) / 150 = 25 %", False),  # something else comes out
        ("36", "percent", "48 - 12 = 36", False),
        ("25", "percent", "12 / 48 = 25 %", True),
    ],
)
def test_a_sum_bears_what_comes_out_of_it_in_the_unit_asked_for(
    value: str, unit: str, said: str, grounded: bool
) -> None:
    assert answered("What share?", unit, OVEN, value, said).is_grounded is grounded


MAY = "In May 240 sacks were sold, in June 120 sacks. The frost of -10 °C gave way to 20 °C."


@pytest.mark.parametrize(
    ("question", "value", "said", "grounded"),
    [
        ("How many more sacks were sold in May than in June?", "360", "240 + 120 = 360", False),
        ("What is the difference between May and June?", "360", "The sum of 240 and 120.", False),
        ("How many times as many sacks were sold in May as in June?", "360", "240 + 120 = 360", False),
        ("How many times as many sacks were sold in May as in June?", "2", "240 / 120 = 2", True),
        ("What was the average of May and June?", "360", "240 + 120 = 360", False),
        ("What was the average of May and June?", "180", "(240 + 120) / 2 = 180", True),
        ("What was the average of May and June?", "72", "(240 + 120) / 5 = 72", False),
        ("How many sacks were sold in May and June in total?", "360", "240 + 120 = 360", True),
        ("By how many °C did it get warmer?", "30", "10 + 20 = 30", True),
    ],
)
def test_what_is_worked_out_is_what_is_asked_for(question: str, value: str, said: str, grounded: bool) -> None:
    assert answered(question, "", MAY, value, said).is_grounded is grounded


@pytest.mark.parametrize(
    ("value", "unit", "grounded"),
    [("290000000", "EUR", True), ("290", "million EUR", True), ("290", "EUR", False)],
)
def test_a_difference_of_a_table_s_values_is_in_its_scale(value: str, unit: str, grounded: bool) -> None:
    question = "How much more revenue was there in 2023 than in 2022?"
    assert answered(question, unit, ACCOUNTS, value, "3,500 - 3,210 = 290").is_grounded is grounded


def test_what_is_wrong_with_a_value_is_said() -> None:
    found = answered("How many chillers has the hall?", "chillers", HALL, "97").grounding
    assert found is not None and found.how is How.UNGROUNDED and "12 chillers" in found.note
    found = answered("What was revenue in 2023?", "EUR", ACCOUNTS, "3500000000").grounding
    assert found is not None and found.how is How.CONVERTED and found.note == "3500 × 1000000 (in millions of euros)"


@pytest.mark.parametrize(
    ("sentence", "name", "question", "is_other"),
    [
        ("The atlas was printed by Ode Press, and bound by Rask Brothers.", "Ode Press", "Who bound the atlas?", True),
        ("The atlas was printed by Ode Press, and bound by Rask Brothers.", "Ode Press", "Who printed it?", False),
        ("It was not painted by Munch but by Krohg.", "Munch", "Who painted it?", True),
    ],
)
def test_a_name_is_of_the_clause_that_it_stands_in(sentence: str, name: str, question: str, is_other: bool) -> None:
    at = sentence.index(name)
    why = name_is_of_other(aim(Question("", question)), sentence, (0, len(sentence)), (at, at + len(name)))
    assert bool(why) is is_other


def test_each_value_of_a_table_has_its_head_its_label_and_what_stands_over_it() -> None:
    table = "Costs ($m)\n| | 2023 | Share (%) |\n| --- | --- | --- |\n| Fixed: | | |\n| › Rent | 5 | 40 |"
    text = f"{table}\nRent; 2022: 4; 2021: 3 (in thousands)"
    found = [(one.head, one.label, one.over, scale.factor if (scale := one.scale()) else 1) for one in places(text)]
    assert found == [
        ("2023", "Rent", "Fixed:", 10**6),
        ("Share (%)", "Rent", "Fixed:", 1),
        ("2022", "Rent", "", 1000),
        ("2021", "Rent", "", 1000),
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("wrong")
    with pytest.MonkeyPatch.context() as patch:
        use_letters(patch)
        files = {"accounts.md": f"# Accounts\n\n{ACCOUNTS}\n", "hall.md": f"# Hall\n\n{HALL}\n\n{YEARS}\n"}
        kohaku.index([write(folder / "files", files)], folder / "my.db")
    yield folder / "my.db"


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("question", "unit", "document", "right", "wrong"),
    [
        ("What was revenue in 2023?", "euros", "accounts", "3,500 million", "3,500"),
        ("What was the cost of revenue in 2022?", "million euros", "accounts", "1940", "3210"),
        ("How many chillers has the hall?", "chillers", "hall", "12", "97"),
        ("What was revenue in 2023?", "crowns", "hall", "6.2 million", "5.1 million"),
    ],
)
def test_a_model_s_bad_answer_is_flagged_and_with_strict_not_given(
    index: Path,
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    unit: str,
    document: str,
    right: str,
    wrong: str,
    strict: bool,
) -> None:
    use_letters(monkeypatch)
    known = {"model": "m", "base_url": server.url, "queries": 1, "retries": 0, "reply_cache": False}
    with kohaku.open(index, strict=strict, **known) as engine:
        given: list[Answer] = []
        for value in (right, wrong):
            server.otherwise = replying(value, document)
            given.append(engine.ask(question, unit=unit))
    good, bad = given
    assert good.is_grounded and good.references == (document,)
    assert not bad.is_grounded and bad.is_blank is strict
    assert strict or bad.confidence < good.confidence


def replying(value: str, document: str) -> Callable[[dict[str, Any]], Step]:
    reply = {"explanation": "", "answer": value, "answer_value": value, "ref_id": [document], "quotes": []}

    def reply_to(body: dict[str, Any]) -> Step:
        return says(json.dumps(reply if asked_for(body) == "answer" else {"queries": []}))

    return reply_to
