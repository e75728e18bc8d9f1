// On a phone, scroll the menu's row to the open page, and fade the row where it continues.
(() => {
  const MENU = ".st-key-pages";
  const LINKS = "a[aria-current=page]";
  let shown = null; // the open page and the row's widths at the last update

  const fade = (row) => {
    const left = row.scrollLeft;
    row.style.setProperty("--from", left > 1 ? 1 : 0);
    row.style.setProperty("--to", left + row.clientWidth < row.scrollWidth - 1 ? 1 : 0);
  };
  const update = () => {
    const row = document.querySelector(MENU);
    const open = row && [...row.querySelectorAll(LINKS)].find((link) => link.offsetWidth); // Streamlit has one for phones
    if (!open) return;
    const now = `${location.pathname} ${row.clientWidth} ${row.scrollWidth}`;
    if (now !== shown) {
      shown = now;
      const [around, link] = [row.getBoundingClientRect(), open.getBoundingClientRect()];
      row.scrollLeft += link.left + link.width / 2 - (around.left + around.width / 2);
    }
    fade(row);
  };

  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  new MutationObserver(soon).observe(document, { childList: true, subtree: true });
  addEventListener("resize", soon);
  addEventListener("scroll", ({ target }) => target.matches?.(MENU) && fade(target), true);
})();
