"""How Sphinx makes the site from the documents of the repository: ``make site``.

The documents stay where they are, so their links lead to the same places here and on a forge.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import blindplay
from blindplay.version import VERSION

ROOT = Path(__file__).parents[2]

project = "BlindPlay"
author = "The BlindPlay developers"
version = release = VERSION
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
root_doc = "docs/site/index"
include_patterns = [
    "*.md", "docs/**.md", "docs/site/*.rst", "hardware/**.md", "models/*.md", "models/*/*.md",
]  # fmt: skip
exclude_patterns = [".*", "build", "dist", "hardware/build", "models/train/.venv"]
suppress_warnings = ["myst.header"]  # a page may begin below a heading of the first order

myst_heading_anchors = 6
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "show-inheritance": True,
    "no-value": True,  # defaults stand in the signatures, and tables of names would fill screens
}

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "primary_sidebar_end": [],
    "footer_start": ["copyright"],
    "footer_end": [],
    "search_bar_text": "Search",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_title = "BlindPlay"
html_extra_path = ["index.html"]
html_copy_source = False
html_domain_indices = False
html_show_copyright = False
html_permalinks = False  # a screen reader would read one after each heading
html_show_search_summary = False  # its texts cannot be fetched from a page that is a file
html_static_path = ["site.css"]
html_css_files = ["site.css"]

_LANGUAGES = "da|de|nb|sv"
# What stands around a document.
_FRAME = "|".join(
    (
        r'<header (?=id="pst-header")',
        r'<div (?=id="pst-(?:skip-link|primary-sidebar)")',
        r'<dialog (?=id="pst-search-dialog")',
        r'<button (?=[^>]*id="pst-back-to-top")',
        r'<footer (?=class="bd-footer")',
    )
)


def _without_folders(app: Any, name: str, source: list[str]) -> None:
    """Leave the text of links to folders, which a forge lists and this site does not have."""

    def text(link: re.Match[str]) -> str:
        return link[1] if (ROOT / name).parent.joinpath(link[2]).is_dir() else link[0]

    source[0] = re.sub(r"\[([^\]]+)\]\(([^)\s#:]+)\)", text, source[0])


def _for_screen_readers(app: Any, error: Exception | None) -> None:
    """Name the language of each page, of its frame, which is English, and of links to other pages,
    so that each is read by the right voice; and make no header of an empty cell."""
    if error or app.builder.name != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text("utf-8")
        text = re.sub(
            rf'<a (?=[^>]*href="(?![a-z]+:)[^"#]*\.({_LANGUAGES})\.html)',
            r'<a lang="\1" hreflang="\1" ',
            text,
        )
        if own := re.search(rf"\.({_LANGUAGES})\.html$", page.name):
            text = text.replace('<html lang="en"', f'<html lang="{own[1]}"', 1)
            text = re.sub(_FRAME, r'\g<0>lang="en" ', text)
        text = re.sub(r"<th class=\"[^\"]*\"><p></p></th>", "<td></td>", text)
        page.write_text(text, "utf-8")


def setup(app: Any) -> None:
    for name in blindplay.__all__:
        getattr(blindplay, name)  # the package imports a name when it is first used
    app.connect("source-read", _without_folders)
    app.connect("build-finished", _for_screen_readers)
