"""Takes the README's pictures of the report, from what ``make demo`` made.

Needs Debian's chromium and chromium-driver.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By

ROOT = Path(__file__).parents[1]
CASE = "r-0114"
WIDTH, HEIGHT = 1040, 1100


def main() -> None:
    """Write docs/report.png and docs/report-case.png."""
    options = webdriver.ChromeOptions()
    for switch in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(switch)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        browser.set_window_size(WIDTH, HEIGHT)
        browser.get((ROOT / "demo" / "report.html").as_uri())
        browser.save_screenshot(str(ROOT / "docs" / "report.png"))
        found = browser.find_elements(By.CSS_SELECTOR, "article.case")
        case = next(article for article in found if CASE in article.text)
        scroll = "window.scrollTo({top: arguments[0], behavior: 'instant'})"
        browser.execute_script(scroll, case.location["y"] - 8)
        browser.save_screenshot(str(ROOT / "docs" / "report-case.png"))
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
