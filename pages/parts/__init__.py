"""Parts of pages: each shows one subject of a page that has several."""
