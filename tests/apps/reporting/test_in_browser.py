"""The page of a report in a real browser: needs playwright and Chromium, and is skipped without them."""

import shutil

import pytest

from tests.apps.reporting.pages import KINDS, report

sync_api = pytest.importorskip("playwright.sync_api")
NAMES = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome", "chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=f"no browser: none of {', '.join(NAMES)}")
PHONE = {"width": 390, "height": 844}

CONTRASTS = """() => {
    const parts = text => text.match(/[\\d.]+/g).map(Number);
    const light = c => { c = c / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
    const behind = element => {
        for (; element; element = element.parentElement) {
            const colour = parts(getComputedStyle(element).backgroundColor);
            if (colour.length < 4 || colour[3] === 1) return colour;
        }
        throw new Error("a text has nothing opaque behind it");
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || element.closest("svg")) continue;
        const both = [parts(getComputedStyle(element).color), behind(element)].map(luminance).sort((a, b) => b - a);
        found.push([(both[0] + 0.05) / (both[1] + 0.05), walker.currentNode.data]);
    }
    return found;
}"""


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    return {kind: report(kind).save(folder / f"{kind}.html") for kind in KINDS}


class Opened:
    """A page in a browser, and what it asked for and complained of."""

    def __init__(self, browser, file, **context):
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.messages, self.requests = [], []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_asked_for_and_texts_can_be_read(browser, files, kind, scheme):
    with Opened(browser, files[kind], color_scheme=scheme) as opened:
        contrasts = opened.page.evaluate(CONTRASTS)
        background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert opened.messages == []
        assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert len(contrasts) > 50
    assert [text for ratio, text in contrasts if ratio < 4.5] == []
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_scrolls_only_down(browser, files, kind):
    with Opened(browser, files[kind], viewport=PHONE) as opened:
        width = opened.page.evaluate("document.documentElement.scrollWidth")
        cut = opened.page.evaluate(
            "[...document.querySelectorAll('p, h1, h2, dd, figcaption')].filter(e => e.scrollWidth > e.clientWidth + 1)"
            ".map(e => e.textContent)"
        )
    assert width <= PHONE["width"]
    assert cut == []


SHOWN = "[...document.querySelectorAll('.tabs > figure')].filter(e => e.checkVisibility()).map(e => e.id)"
FOCUSED = "document.activeElement.id"


def test_the_class_picker_works_by_keyboard_without_a_script(browser, files):
    with Opened(browser, files["three classes"], java_script_enabled=False) as opened:
        page = opened.page
        assert page.evaluate(SHOWN) == ["panel-class-0"]
        for _ in range(5):
            page.keyboard.press("Tab")
            if page.evaluate(FOCUSED).startswith("tab-"):
                break
        assert page.evaluate(FOCUSED) == "tab-class-0"
        outline = "getComputedStyle(document.querySelector('#tab-class-0 + label')).outlineStyle"
        assert page.evaluate(outline) == "solid"  # the focus is seen
        for name in ("class-1", "class-2", "class-0"):
            page.keyboard.press("ArrowRight")
            assert page.evaluate(SHOWN) == [f"panel-{name}"]


def test_details_open_by_keyboard_and_hold_more_diagrams(browser, files):
    with Opened(browser, files["bold"], java_script_enabled=False) as opened:
        page = opened.page
        assert page.evaluate(SHOWN) == []
        for _ in range(5):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.tagName") == "SUMMARY":
                break
        page.keyboard.press("Enter")
        assert page.evaluate(SHOWN) == ["panel-map"]
        page.keyboard.press("Tab")
        for name in ("tce", "map"):
            page.keyboard.press("ArrowRight")
            assert page.evaluate(SHOWN) == [f"panel-{name}"]


def test_the_verdict_what_to_do_and_both_diagrams_are_on_the_first_screen(browser, files):
    with Opened(browser, files["bold"], viewport={"width": 1280, "height": 800}) as opened:
        ends = opened.page.evaluate(
            "[...document.querySelectorAll('.card, .pair svg')].map(e => e.getBoundingClientRect().bottom)"
        )
        used = opened.page.evaluate("document.querySelector('main').getBoundingClientRect().width")
    assert len(ends) == 3
    assert max(ends) <= 800
    assert used > 1150


def test_regions_that_scroll_are_reached_by_keyboard(browser, files):
    with Opened(browser, files["segmented"], viewport=PHONE) as opened:
        unreached = opened.page.evaluate(
            "[...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0 && "
            "getComputedStyle(e).overflowX === 'auto').length"
        )
    assert unreached == 0


@pytest.mark.parametrize(("kind", "figures"), [("bold", 5), ("three classes", 5), ("segmented", 3)])
def test_all_figures_and_details_are_printed(browser, files, kind, figures):
    with Opened(browser, files[kind], color_scheme="dark") as opened:
        opened.page.emulate_media(media="print", color_scheme="dark")
        sizes = opened.page.evaluate(
            "[...document.querySelectorAll('figure svg[role=img]')].map(e => [e.getBoundingClientRect().height, "
            "getComputedStyle(e).filter])"
        )
        contrasts = opened.page.evaluate(CONTRASTS)
        background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        hidden = opened.page.evaluate(
            "[...document.querySelectorAll('table, dl')].filter(e => !e.checkVisibility()).length"
        )
        wide = opened.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert hidden == 0
    assert wide <= 0
    assert len(sizes) == figures
    assert min(height for height, _ in sizes) > 100
    assert {effect for _, effect in sizes} == {"none"}
    assert background == "rgb(255, 255, 255)"
    assert [text for ratio, text in contrasts if ratio < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["bold", "segmented", "three classes"])
def test_axe_finds_nothing(browser, files, kind, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with Opened(browser, files[kind], color_scheme=scheme) as opened:
        found = axe.Axe().run(opened.page)
    assert [one["id"] for one in found.response["violations"]] == []
    assert len(found.response["passes"]) > 20
