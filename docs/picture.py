"""Makes the pictures of the report, for these pages and the README: images/report.png and images/report.zh-TW.png.

``python docs/picture.py`` needs a chromium, playwright and Pillow.
"""

from __future__ import annotations

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from PETWorks import demo as demo_folder
from PETWorks.policy.policy import Policy

IMAGES = Path(__file__).with_name("images")
LANGUAGES = {"en": "report.png", "zh_TW": "report.zh-TW.png"}
COLORS = 128  # size of the palette; enough for a page of flat colours


def main() -> None:
    """Write the demonstration, and save a screenshot of the top of its report in each language."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        demo_folder.write_folder(Path(folder), "en")
        evaluation = Policy(Path(folder) / "policy.toml").check()
        for language, name in LANGUAGES.items():
            page = browser.new_page(viewport={"width": 1120, "height": 1130}, device_scale_factor=1.5)
            page.set_content(evaluation.to_html(language=language))
            with Image.open(BytesIO(page.screenshot())) as image:
                image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
