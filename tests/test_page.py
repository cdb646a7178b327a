"""The page in a real Chromium: asking, the cited page, trees, files sent in, comparing, the token."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from corpus import letters, write
from fake_server import FakeServer, Step, writes
from serving import running

import kohaku
from kohaku.doors.web.guard import Gate
from kohaku.settings import load

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
PAGE = Path(__file__).parent.parent / "kohaku" / "doors" / "web" / "page"
TOKEN = "a token of enough letters"
HOSTILE = "<img src=x onerror='window.hacked=1'> {{7*7}} <script>window.hacked=1</script>"
LINE = "The turbine turned 4,321 times."
REPLY = {
    "explanation": f"As the report says. {HOSTILE}",
    "answer": f"It turned 4,321 times {HOSTILE}",
    "answer_value": "4321",
    "ref_id": ["wind"],
    "quotes": [LINE],
    "is_blank": False,
}
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)

SEEN = threading.Event()  # the model writes the second half of an answer when the first one was seen
SEEN.set()

browser_needed = pytest.mark.skipif(not (BROWSER and DRIVER), reason="no chromium and chromedriver here")


def answers(body: dict[str, Any]) -> Step:
    if body["response_format"]["json_schema"]["name"] == "query_plan":
        return writes(json.dumps({"queries": ["turbine turns"]}))
    return writes(json.dumps(REPLY), gate=SEEN)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a PDF, a hostile text and a scripted model that writes word by word."""
    folder = tmp_path_factory.mktemp("page")
    files = write(folder / "files", {"hostile.md": f"# Hostile {HOSTILE}\n\nWater {HOSTILE} was 5 litres.\n"})
    with pymupdf.open() as pdf:
        for line in ("The first page speaks of wind.", LINE):
            pdf.new_page(width=300, height=400).insert_text((50, 100), line, fontsize=12)
        pdf.save(files / "wind.pdf")
    model = FakeServer()
    model.otherwise = answers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kohaku.embedders.load", letters)
        patch.setattr("indexer.pictures.boxed", lambda path, reading, work: work(path, reading))
        patch.setenv("KOHAKU_REPLY_CACHE", "false")
        metadata = folder / "metadata.csv"
        metadata.write_text("id,title,url\nwind,Wind,https://[no address\n", encoding="utf-8")
        kohaku.index([files], folder / "my.db", metadata=metadata, workers=1)
        settings = load({"db": folder / "my.db", "model": "scripted", "base_url": model.url})
        with running(settings) as address:
            yield address
    model.close()


class Browser:
    """A page in a browser, and what a user does on it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def all(self, css: str) -> list[Any]:
        """The elements there are now."""
        return list(self.driver.find_elements("css selector", css))

    def wait(self, css: str, holds: Callable[[Any], object] = lambda found: True) -> Any:
        """The first element that is there and of which something holds, once that is so."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, 20, 0.02, ignored_exceptions=[StaleElementReferenceException])
        return waiting.until(lambda _: next((one for one in self.all(css) if holds(one)), None), css)

    def run(self, script: str) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script)

    def press(self, key: str) -> None:
        """Presses a key where no field has the focus."""
        self.run("document.activeElement.blur()")
        self.wait("body").send_keys(key)

    def ask(self, question: str) -> None:
        """Types a question, and Enter."""
        self.wait("#question").send_keys(question, "\n")

    def faults(self) -> list[str]:
        """What the console holds: errors, and what the policy forbade."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield Browser(driver)
    driver.quit()


@pytest.fixture
def browser(started: Browser, place: str) -> Iterator[Browser]:
    """The page, newly opened; at the end neither an error nor anything forbidden was in the console."""
    started.driver.get("about:blank")
    started.driver.get(place)
    started.run("localStorage.clear()")
    started.driver.refresh()
    started.wait("#facts", lambda facts: "2 documents" in facts.text or "3 documents" in facts.text)
    yield started
    assert started.faults() == []


@browser_needed
def test_an_answer_is_written_then_checked_and_its_citation_shows_the_page_with_the_words_marked(
    browser: Browser,
) -> None:
    SEEN.clear()
    browser.ask("How often did the turbine turn?")
    browser.wait(".draft .writes", lambda draft: "report says" in draft.text)
    SEEN.set()
    said = browser.wait(".answer.checked .said")
    assert HOSTILE in said.text and not browser.run("return window.hacked")
    assert browser.wait(".value").text == "4321" and browser.wait(".fact .good")
    assert (
        browser.run("return document.querySelectorAll('.sources li').length, document.querySelector('.sources a')")
        is None
    )
    browser.wait(".said .cite").click()
    mark = browser.wait(".paper svg .mark")
    assert 95 < float(mark.get_attribute("y")) + float(mark.get_attribute("height")) < 115
    assert browser.wait(".page-number").text == "Page 2 of 2"
    browser.press("\ue012")  # ←
    browser.wait(".page-number", lambda number: number.text == "Page 1 of 2")
    browser.press("\ue00c")  # Esc
    assert not browser.wait("#viewer").is_displayed()
    browser.press("1")
    browser.wait(".paper svg .mark")
    browser.wait(".trace > summary").click()
    browser.wait(".trace > .told:last-child > summary").click()
    assert browser.wait(".trace .piece").text and "scripted" in browser.wait(".trace > .told:last-child").text


@browser_needed
def test_answers_are_there_again_when_the_page_is_loaded_anew_until_they_are_forgotten(browser: Browser) -> None:
    def asked(question: str) -> None:
        browser.wait("#question").clear()
        browser.ask(question)
        browser.wait(".answer.checked h2", lambda title: title.text == question)

    asked("How often did the turbine turn?")
    asked("How often, said otherwise?")
    assert len(browser.all(".gist")) == 2 and browser.all(".gist")[1].text.startswith("It turned 4,321 times")
    browser.driver.refresh()
    first = browser.wait(".answer.checked .toggle-card")
    assert first.text == "How often, said otherwise?" and not browser.wait(".said").is_displayed()
    assert HOSTILE in browser.wait(".gist").text and not browser.run("return window.hacked")
    first.click()
    browser.wait(".said .cite").click()
    browser.wait(".paper svg .mark")
    browser.run("window.made = []; URL.createObjectURL = (blob) => { made.push(blob); return 'data:,' }")
    browser.wait("[data-all=csv]").click()
    browser.run("document.querySelector('[data-all=md]').click()")
    browser.wait("body", lambda body: browser.run("return made.length") == 2)
    csv = browser.driver.execute_async_script("made.find((one) => one.type.includes('csv')).text().then(arguments[0])")
    assert [line.split(",")[:2] for line in csv.splitlines()[1:]] == [
        ["q1", "How often did the turbine turn?"],
        ["q2", '"How often'],
    ]
    browser.run("window.confirm = () => true; document.querySelector('.again button:last-child').click()")
    browser.run("document.querySelector('#forget-all').click()")
    browser.driver.refresh()
    browser.wait("#facts", lambda facts: "documents" in facts.text)
    assert browser.all(".answer") == []


@browser_needed
def test_back_closes_the_source_and_stays_on_the_page(browser: Browser) -> None:
    browser.ask("How often did the turbine turn?")
    browser.wait(".said .cite").click()
    browser.wait(".paper svg .mark")
    browser.driver.back()
    browser.wait("#viewer", lambda viewer: not viewer.is_displayed())
    assert browser.wait(".said").is_displayed()
    browser.press("1")
    browser.wait(".paper svg .mark")
    browser.press("\ue00c")  # Esc
    browser.wait("#viewer", lambda viewer: not viewer.is_displayed() and browser.run("return history.state") is None)


@browser_needed
def test_a_file_is_sent_in_and_its_tree_can_be_walked_with_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "Moor.md").write_text("# Moor Hall\n\nIt has 8 rooms.\n", encoding="utf-8")
    browser.run("location.hash = '#/add'")
    browser.wait("#files").send_keys(str(tmp_path / "Moor.md"))
    browser.wait(".job.done .state", lambda state: "indexed" in state.text)
    browser.wait(".job a").click()
    browser.wait("#tree .node").send_keys("\ue014", "\ue015", "\n")  # → opens, ↓ goes on, Enter shows
    browser.wait("#viewer .text", lambda text: "8 rooms" in text.text)
    assert "Moor Hall" in browser.wait(".path").text
    browser.run("location.hash = '#/documents/hostile'")
    browser.wait("#tree .label", lambda label: HOSTILE.split(" {{")[0] in label.text or "Hostile" in label.text)
    assert not browser.run("return window.hacked")


@browser_needed
def test_two_settings_are_compared_side_by_side(browser: Browser) -> None:
    browser.run("location.hash = '#/compare'")
    browser.wait("[data-side=B] [name=model]").send_keys("built-in reader")
    browser.wait("#compare-question").send_keys("How often did the turbine turn?", "\n")
    assert "Evidence:" in browser.wait(".verdict").text
    titles = [title.text for title in browser.all("#sides h2")]
    assert titles[0] == "A: as set" and "built-in" in titles[1]


@browser_needed
def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser) -> None:
    metrics = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.ask("How often did the turbine turn?")
        browser.wait(".answer.checked")
        for view in ("", "documents", "compare", "add"):
            browser.run(f"location.hash = '#/{view}'")
            assert browser.run("return document.documentElement.scrollWidth") <= 360
        browser.run("location.hash = '#/'")
        browser.wait(".said .cite").click()
        browser.wait(".paper svg .mark")
        assert browser.run("return document.documentElement.scrollWidth") <= 360
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@browser_needed
def test_the_page_asks_for_the_token_and_goes_on(started: Browser, place: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kohaku.embedders.load", letters)
        kohaku.index([write(tmp_path / "files")], tmp_path / "my.db", workers=1)
        with running(load({"db": tmp_path / "my.db"}), Gate.of("127.0.0.1", token=TOKEN)) as address:
            started.driver.get(address)
            started.wait("#token").send_keys("wrong\n")
            started.wait("#token-wrong", lambda wrong: wrong.is_displayed())
            started.wait("#token").send_keys(f"{TOKEN}\n")
            started.wait("#facts", lambda facts: "3 documents" in facts.text)
            started.driver.get("about:blank")
    assert all("401" in fault for fault in started.faults())


def test_the_page_has_landmarks_and_takes_nothing_from_elsewhere() -> None:
    from bs4 import BeautifulSoup

    page = BeautifulSoup((PAGE / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert page.select("header nav[aria-label]") and page.select("main") and page.select("aside[aria-label]")
    assert page.select("a.skip[href='#main']") and page.select("[role=status][aria-live=polite]")
    labelled = {str(label.get("for")) for label in page.select("label[for]")}
    for field in page.select("input, textarea, select"):
        assert field.get("id") in labelled or field.find_parent("label"), field
    for file in PAGE.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert not re.search(r"https?://|innerHTML|insertAdjacentHTML|document\.write|eval\(", text), file.name
