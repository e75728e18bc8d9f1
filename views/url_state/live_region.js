// For those who do not see the page: what has changed where the focus is not is said in one region, and the focus stays
// where it was when the box that has it is made anew.
(() => {
  const NEWS = "[data-announced]";
  const BOX = "[data-testid=stFileUploaderDropzone]"; // renewed with each picture that it takes
  const STILL = 300; // milliseconds without another change
  const region = document.createElement("div");
  region.className = "announced";
  region.setAttribute("role", "status");

  // A page that has just been opened is read from its title on: only what changes on it later is news.
  let path = null;
  let known = [];
  const read = () => {
    const found = [...document.querySelectorAll(NEWS)];
    if (!found.length) return; // between two
    const news = found.filter(({ innerText }, place) => place in known && known[place] !== innerText);
    if (path === location.pathname && news.length) region.replaceChildren(...news.map(said));
    path = location.pathname;
    known = found.map(({ innerText }) => innerText);
  };
  const said = ({ innerText, lang, dataset }) => {
    const copy = Object.assign(document.createElement("p"), { textContent: innerText, lang });
    Object.assign(copy.dataset, dataset.said && { said: dataset.said });
    return copy;
  };

  let boxed = false; // whether the focus was in the box when it was seen last
  document.addEventListener("focusin", ({ target }) => (boxed = Boolean(target.closest?.(BOX))));
  document.addEventListener("pointerdown", ({ target }) => (boxed &&= Boolean(target.closest?.(BOX))), true);

  let waiting;
  new MutationObserver((changes) => {
    if (changes.every(({ target }) => target === region)) return;
    if (boxed && document.activeElement === document.body) document.querySelector(`${BOX} button`)?.focus();
    if (path !== location.pathname) read();
    clearTimeout(waiting);
    waiting = setTimeout(read, STILL);
  }).observe(document, { childList: true, characterData: true, subtree: true });
  addEventListener("DOMContentLoaded", () => document.body.append(region));
})();
