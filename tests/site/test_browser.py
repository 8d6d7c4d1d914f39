"""The site in a real browser, where Chromium, its driver and Selenium are installed."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support import memgit

selenium = pytest.importorskip("selenium")
if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
    pytest.skip("needs chromium and chromedriver", allow_module_level=True)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1200,900",
)  # fmt: skip


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def site(store: Path) -> Iterator[str]:
    folder = store.parent / "site"
    memgit(store, "site", str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for switch in (*SWITCHES, f"--user-data-dir={tmp_path}/profile"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def quiet(browser: Any, site: str) -> None:
    """No console error, and no request anywhere else."""
    assert [
        row["message"] for row in browser.get_log("browser") if row["level"] in ("SEVERE", "WARNING")
    ] == []
    for row in browser.get_log("performance"):
        if '"Network.requestWillBeSent"' in row["message"]:
            import json

            url = json.loads(row["message"])["message"]["params"]["request"]["url"]
            assert url.startswith((site, "data:", "chrome")), url


def until(browser: Any, found: Any) -> Any:
    return WebDriverWait(browser, 20).until(found)


def test_front_record_backlink_search_and_graph(site: str, browser: Any) -> None:
    browser.get(f"{site}/index.html")
    browser.find_element(By.LINK_TEXT, "Retry with backoff").click()
    assert browser.find_element(By.TAG_NAME, "h1").text == "Retry with backoff"
    browser.find_element(By.LINK_TEXT, "Heron").click()
    assert "/records/memory/team/heron.html" in browser.current_url
    browser.find_element(By.TAG_NAME, "body").send_keys("/")
    browser.switch_to.active_element.send_keys("retry", Keys.ENTER)
    until(browser, lambda driver: driver.find_elements(By.CSS_SELECTOR, "#results a"))
    assert browser.find_elements(By.CSS_SELECTOR, "#results a")[0].text == "Retry with backoff"
    browser.get(f"{site}/graph.html")
    until(browser, lambda driver: driver.find_elements(By.CSS_SELECTOR, "#graph circle"))
    assert "links, around" in browser.find_element(By.ID, "told").text
    quiet(browser, site)


def test_by_keyboard_alone(site: str, browser: Any) -> None:
    browser.get(f"{site}/index.html")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to content"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    seen = set()
    for _ in range(40):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        seen.add(browser.switch_to.active_element.text)
    assert {"Retry with backoff", "Decision board"} <= seen


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1200, True)])
def test_small_screens_and_dark(site: str, browser: Any, width: int, dark: bool) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]},
    )
    for page in ("index.html", "records/knowledge/backend/retry-with-backoff.html", "graph.html"):
        browser.get(f"{site}/{page}")
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width, page
        ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(25, 24, 22)") == dark
    quiet(browser, site)


def test_nothing_serious_for_axe(site: str, browser: Any) -> None:
    axe = pytest.importorskip("axe_core_python")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text()
    for page in (
        "index.html",
        "records/memory/team/heron.html",
        "graph.html",
        "log/index.html",
        "decisions.html",
        "search.html",
    ):
        browser.get(f"{site}/{page}")
        browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
        browser.refresh()
        browser.execute_script(script)
        found = browser.execute_async_script("axe.run().then(arguments[0])")
        serious = [
            (one["id"], one["nodes"][0]["html"])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], page
