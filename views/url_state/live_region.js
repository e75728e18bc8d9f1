// For screen readers: announce changes outside the focus in one live region, and restore the focus when the upload box
// that has it is rendered again.
(() => {
  const NEWS = "[data-announced]";
  const BOX = "[data-testid=stFileUploaderDropzone]"; // rendered again after each upload
  const STILL = 300; // milliseconds without another change
  const region = document.createElement("div");
  region.className = "announced";
  region.setAttribute("role", "status");

  // A page that was just opened is read from its title on: only later changes are announced.
  let path = null;
  let known = [];
  const read = () => {
    const elements = [...document.querySelectorAll(NEWS)];
    if (!elements.length) return; // between two pages
    const news = elements.filter(({ innerText }, place) => place in known && known[place] !== innerText);
    if (path === location.pathname && news.length) region.replaceChildren(...news.map(announcement));
    path = location.pathname;
    known = elements.map(({ innerText }) => innerText);
  };
  const announcement = ({ innerText, lang, dataset }) => {
    const copy = Object.assign(document.createElement("p"), { textContent: innerText, lang });
    Object.assign(copy.dataset, dataset.said && { said: dataset.said });
    return copy;
  };

  let boxed = false; // whether the focus was last in the box
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
