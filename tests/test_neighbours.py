"""What stands beside the value asked for, or follows from the numbers beside it, is not taken for it."""

from __future__ import annotations

import pytest

from answerer.answer import Question
from answerer.ground import ground
from answerer.values import normalise
from kohaku.tree import Kind
from retriever.evidence import Context

HALLS = "Temperatures vary: the hall 18 to 21 °C, the attic 10 to 30 °C."
KEPT = "The hall is kept at 18 to 21 °C and the attic at 10 to 30 °C."
SEEN = "Between 40 and 60 people attended the concert, whereas 100 to 150 people attended the fair."
LENT = "In 2018 the library lent 30,400 books; a year later it lent 28,900."
TREATY = "The treaty was signed on 4 March 1921 and came into force on 1 July 1922."
SOLD = "Sales were 200 crates in May and 250 crates in June."
CARS = "The bridge carried 1,200 cars a day in 2019 and 1,450 cars a day in 2020."
WINGS = "Anna Holm designed the north wing. Anna Holst designed the south wing."
BANK = "The Lund Bank financed the port; the Lund Foundation paid for the school."
ROOMS = "The north wing has 12 rooms. The south wing has 30 rooms."
OWNED = "Three in five households own a bicycle; 12% own a car."
PUMP = "The pump uses 0.4 kWh per cubic metre and 12 kWh per day."
LIFT = "The lift carries at most 8 people; the stairs hold more than 20 people."
FARM = "The farm has 30 cows and 12 goats. It sold 18 lambs."
COSTS = "Costs fell from 80 to 60 crowns."
GREW = "Sales grew from 5.0 million euros to 6.5 million euros."
CHURCHES = "All 14 churches were restored except St Olaf's."
SHOWN = "The museum has 1,200 paintings, 340 of them on show."
ORE = "The mine produced 5.2 Mt of ore in 2020, of which 1.1 Mt was exported."
HERD = "Between 2010 and 2015 the herd grew from 120 to 180 animals."
SEATS = "The council has 21 seats: Left 9, Centre 7, Right 5."
LIFE = "Dr Lund was born in 1870, married in 1899 and died in 1944."
BRIDGE = "Mayor Ek opened the bridge; engineer Lo designed it; Bo Ohm paid for it."
TOWERS = "The north tower is 80 m high; the south tower is 65 m high."
TOWNS = "The survey reached 1,500 people in 12 towns over 3 weeks."
COWS = "The farm has 30 cows and 12 goats."
CRANE = "The crane lifts up to 200 kg but 150 kg continuously."
HALVES = "Revenue was 90 crowns in H1 2023 and 110 crowns in H2 2023."
SECOND = "Revenue was 90 crowns in the first half and 110 crowns in the second half of 2023."
MONTH = "In May 2023 400 visitors came; in all of 2023 there were 5,000 visitors."
TURNOUT = "Turnout rose 10% (5 percentage points)."
WOMEN = "The mill employs 45 women and 45 men; 50% of the staff are women."
NOT_BUT = "The hall has not 40 but 50 pumps."
PORTS = """Boats by port
| Port | 2020 | 2021 |
| --- | --- | --- |
| Arn | 12 | 15 |
| Bek | 20 | 18 |
| Total | 32 | 33 |"""


def is_grounded(question: str, unit: str, text: str, value: str, said: str = "") -> bool:
    context = Context("mill", "", "mill:p1", Kind.PARAGRAPH, (1, 1), (), 1.0, text, 50)
    found = ground(Question("q", question, unit), normalise(value, unit, question), said, [context])
    return found.how.value != "ungrounded"


@pytest.mark.parametrize(
    ("question", "unit", "text", "right", "wrong"),
    [
        ("What is the temperature range of the hall?", "°C", HALLS, "[18,21]", "[10,30]"),
        ("What is the temperature range of the attic?", "°C", HALLS, "[10,30]", "[18,21]"),
        ("Within what range is the hall kept?", "°C", KEPT, "[18,21]", "[10,30]"),
        ("How many people attended the concert?", "people", SEEN, "[40,60]", "[100,150]"),
        ("How many people attended the concert?", "people", SEEN, "[40,60]", "[40,150]"),
        ("How many people attended the fair?", "people", SEEN, "[100,150]", "[60,100]"),
        ("How many visitors came?", "", "More than 500 but fewer than 700 visitors came.", "[500,700]", "[500,600]"),
        ("How many people can the lift carry at most?", "people", LIFT, "8", "20"),
        ("How many books did the library lend in 2019?", "books", LENT, "28900", "30400"),
        ("How many books did the library lend in 2018?", "books", LENT, "30400", "28900"),
        ("When was the treaty signed?", "", TREATY, "4 March 1921", "1 July 1922"),
        ("When did the treaty come into force?", "", TREATY, "1 July 1922", "4 March 1921"),
        ("Who designed the south wing?", "", WINGS, "Anna Holst", "Anna Holm"),
        ("Who designed the north wing?", "", WINGS, "Anna Holm", "Anna Holst"),
        ("Who paid for the school?", "", BANK, "Lund Foundation", "Lund Bank"),
        ("How many rooms does the south wing have?", "rooms", ROOMS, "30", "12"),
        ("What share of households own a bicycle?", "percent", OWNED, "60", "12"),
        ("What fraction of households own a car?", "fraction", OWNED, "0.12", "0.6"),
        ("How much energy does the pump use per cubic metre?", "kWh", PUMP, "0.4", "12"),
        ("True or False: St Olaf's was restored.", "", CHURCHES, "0", "1"),
        ("How many paintings are on show?", "paintings", SHOWN, "340", "1200"),
        ("How many paintings does the museum have?", "paintings", SHOWN, "1200", "340"),
        ("How much ore did the mine produce in 2020?", "Mt", ORE, "5.2", "1.1"),
        ("How much ore was exported?", "Mt", ORE, "1.1", "5.2"),
        ("How many animals were in the herd in 2010?", "animals", HERD, "120", "180"),
        ("How many animals were in the herd in 2015?", "animals", HERD, "180", "120"),
        ("How many seats has the Centre?", "seats", SEATS, "7", "9"),
        ("How many seats does the council have?", "seats", SEATS, "21", "7"),
        ("When did Dr Lund die?", "", LIFE, "1944", "1899"),
        ("In what year did Dr Lund marry?", "", LIFE, "1899", "1870"),
        ("Who designed the bridge?", "", BRIDGE, "Lo", "Ek"),
        ("Who paid for the bridge?", "", BRIDGE, "Bo Ohm", "Ek"),
        ("How many towns did the survey cover?", "towns", TOWNS, "12", "3"),
        ("What load can the crane lift at most?", "kg", CRANE, "200", "150"),
        ("What load can the crane lift continuously?", "kg", CRANE, "150", "200"),
        ("What was revenue in H1 2023?", "crowns", HALVES, "90", "110"),
        ("What was revenue in the second half of 2023?", "crowns", SECOND, "110", "90"),
        ("How many visitors came in 2023?", "visitors", MONTH, "5000", "400"),
        ("By what percent did turnout rise?", "percent", TURNOUT, "10", "5"),
        ("What share of the staff are women?", "percent", WOMEN, "50", "45"),
        ("How many pumps has the hall?", "pumps", NOT_BUT, "50", "40"),
        ("What fraction of the roof is slate?", "fraction", "One third of the roof is slate.", "0.333", "0.323"),
        ("True or False: The mill has more than 3 pumps.", "", "The mill has at least 5 pumps.", "1", "0"),
        ("True or False: The mill has fewer than 3 pumps.", "", "The mill has at least 5 pumps.", "0", "1"),
        ("True or False: The mill has more than 7 pumps.", "", "The mill has 5 pumps.", "0", "1"),
        ("True or False: The mill has fewer than 7 pumps.", "", "The mill has at most 5 pumps.", "1", "0"),
    ],
)
def test_of_two_things_each_has_its_own_value(question: str, unit: str, text: str, right: str, wrong: str) -> None:
    assert is_grounded(question, unit, text, right) and not is_grounded(question, unit, text, wrong)


@pytest.mark.parametrize(
    ("question", "unit", "text", "right", "wrong"),
    [
        ("By what percentage did sales rise?", "percent", SOLD, "(250 - 200) / 200 = 25 %", "(250 - 200) / 250 = 20 %"),
        ("By what percentage did sales rise?", "percent", SOLD, "(250 - 200) / 200 = 25 %", "250 / 200 = 125 %"),
        ("By what percentage did costs fall?", "percent", COSTS, "(80 - 60) / 80 = 25 %", "(80 - 60) / 60 = 33.3 %"),
        ("By what percentage did costs fall?", "percent", COSTS, "1 - 60 / 80 = 25 %", "60 / 80 = 75 %"),
        ("What were total sales in May and June?", "crates", SOLD, "200 + 250 = 450", "250 - 200 = 50"),
        ("What were total sales in May and June?", "crates", SOLD, "200 + 250 = 450", "(200 + 250) / 2 = 225"),
        ("What were average sales in May and June?", "crates", SOLD, "(200 + 250) / 2 = 225", "200 + 250 = 450"),
        ("How many boats did Bek lose from 2020 to 2021?", "boats", PORTS, "20 - 18 = 2", "15 - 12 = 3"),
        ("By how much did sales grow?", "million euros", GREW, "6.5 - 5.0 = 1.5", "6.5 + 5.0 = 11.5"),
        ("What is the ratio of cows to goats?", "", COWS, "30 / 12 = 2.5", "12 / 30 = 0.4"),
        ("How many times as many cows as goats are there?", "", COWS, "30 / 12 = 2.5", "12 / 30 = 0.4"),
        ("What is the ratio of boats in Bek to boats in Arn in 2021?", "", PORTS, "18 / 15 = 1.2", "15 / 18 = 0.833"),
        ("How many animals are there in total?", "", f"{COWS} It has 12.5 ha.", "30 + 12 = 42", "30 + 12.5 = 42.5"),
        ("How many more cows than goats are there on the farm?", "", FARM, "30 - 12 = 18", "30 + 12 = 42"),
    ],
)
def test_a_sum_that_is_shown_answers_what_is_asked(question: str, unit: str, text: str, right: str, wrong: str) -> None:
    def holds(shown: str) -> bool:
        return is_grounded(question, unit, text, shown.split("=")[1].strip(" %"), shown)

    assert holds(right) and not holds(wrong)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("By how much did daily cars rise from 2019 to 2020?", CARS, "1450"),
        ("By how much did daily cars rise from 2019 to 2020?", CARS, "1200"),
        ("How many more crates were sold in June than in May?", SOLD, "250"),
        ("How many more cows than goats does the farm have?", FARM, "30"),
        ("How much higher is the north tower than the south tower?", TOWERS, "80"),
        ("How much higher is the north tower than the south tower?", TOWERS, "65"),
        ("By how much did the boats of Bek fall from 2020 to 2021?", PORTS, "18"),
    ],
)
def test_one_of_two_numbers_is_not_by_how_much_they_differ(question: str, text: str, value: str) -> None:
    assert not is_grounded(question, "", text, value)


@pytest.mark.parametrize(
    ("question", "unit", "text", "value", "said"),
    [
        ("How many floors has the tower?", "", "The tower has 14 floors and a height of 60 m.", "14", ""),
        ("How deep is the lake in autumn?", "m", "The lake is 14 m deep in spring and 9 m deep in autumn.", "9", ""),
        ("How many rooms does the hotel have?", "", "It has 120 rooms and suites. The annex has 30 rooms.", "120", ""),
        ("What is the range over both?", "", "It is 10 to 20 in the north and 30 to 40 in the south.", "[10,40]", ""),
        ("What were total sales less returns?", "", "Sales were 200 crates, returns 50.", "150", "200 - 50 = 150"),
        ("How many staff had Holm in 2023?", "", "In May 2023 it had 50 staff; in 2023 it sold 900 boats.", "50", ""),
        (
            "How many staff were there at the end of 2023?",
            "",
            "In May 2023 50 came; in December 2023 it had 9.",
            "9",
            "",
        ),
        ("How many people can it carry at most?", "", "It carries up to 2000 kg or 20 people.", "20", ""),
        ("How many times faster is Holm than Rask?", "", "Holm takes 2 h; Rask takes 6 h.", "3", "6 / 2 = 3"),
        ("True or False: The mill has at most 9 pumps.", "", "The mill has no more than 9 pumps.", "1", ""),
        ("True or False: The mill has no more than 9 pumps.", "", "The mill has 8 pumps.", "1", ""),
        ("How many people had Holm in 2020?", "", "Holm had 40 people in 2019, and 50 in 2020.", "50", ""),
        ("What percentage of the old costs are the new ones?", "percent", COSTS, "75", "60 / 80 = 75 %"),
    ],
)
def test_what_is_asked_stays_grounded_beside_others(question: str, unit: str, text: str, value: str, said: str) -> None:
    assert is_grounded(question, unit, text, value, said)
