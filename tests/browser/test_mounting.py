"""A component that Streamlit mounts twice in the same place is rendered once."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from views.viewer import built_files

STRIP = {
    "label": "Pictures",
    "tiles": [{"name": name, "label": name, "thumbnail": ""} for name in ("one", "two")],
    "selected": "one",
    "limit": 1000,
    "words": {"paste": "Paste"},
    "tell": False,
}


def test_a_second_view_replaces_the_first(page: Page):
    """An update that arrives during another one makes Streamlit unmount the first view after mounting the second."""
    page.set_content("<main><div class='strip-root'></div></main>")
    page.add_script_tag(content=f"{built_files.embedded_script('picture_strip')}\nwindow.mount = mountComponent")
    page.evaluate(
        """(data) => {
            const parentElement = document.querySelector("main")
            const view = {data, parentElement, setTriggerValue() {}, setStateValue() {}}
            mount(view)()
            mount({...view, data: {...data, selected: "two"}})
        }""",
        STRIP,
    )
    expect(page.get_by_role("radio")).to_have_count(2)
    expect(page.get_by_role("radio", checked=True)).to_have_accessible_name("two")
