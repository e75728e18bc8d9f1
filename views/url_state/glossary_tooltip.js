// A term in the prose: its explanation, which is the link's title, is shown while the pointer or the focus is on it; a thumb's
// first tap shows it too, the next one opens the glossary.
(() => {
  const LINKS = "a[href*='glossary?find=']";
  const LEAVES = 200; // milliseconds in which the pointer may move from the term to its explanation
  const shown = document.createElement("div");
  shown.id = "explained-term";
  shown.setAttribute("role", "tooltip");
  shown.hidden = true;
  let term = null;
  let leaving;

  const show = (link) => {
    clearTimeout(leaving);
    if (link === term) return;
    hide();
    link.dataset.explained ??= link.title;
    link.removeAttribute("title"); // the browser's own would cover it
    link.setAttribute("aria-describedby", shown.id);
    shown.textContent = link.dataset.explained;
    shown.hidden = false;
    term = link;
    const [around, { width, height }] = [link.getClientRects()[0], shown.getBoundingClientRect()];
    const below = around.bottom + 6 + height < innerHeight;
    shown.style.left = `${Math.max(8, Math.min(around.left, document.documentElement.clientWidth - width - 8))}px`;
    shown.style.top = `${below ? around.bottom + 6 : Math.max(8, around.top - height - 6)}px`;
  };
  const hide = () => {
    term?.removeAttribute("aria-describedby");
    term = null;
    shown.hidden = true;
  };
  const linkOf = (event) => event.composedPath()[0].closest?.(LINKS); // a component's too

  document.addEventListener("pointerover", (event) => {
    const link = linkOf(event);
    if (link && event.pointerType === "mouse") show(link);
    else if (shown.contains(event.target)) clearTimeout(leaving);
    else if (term && event.pointerType === "mouse") {
      clearTimeout(leaving);
      leaving = setTimeout(hide, LEAVES);
    }
  });
  document.addEventListener("focusin", (event) => linkOf(event)?.matches(":focus-visible") && show(linkOf(event)));
  document.addEventListener("focusout", (event) => linkOf(event) && hide());
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  addEventListener("scroll", hide, true);
  let touched = false;
  document.addEventListener("pointerdown", ({ pointerType }) => (touched = pointerType !== "mouse"), true);
  document.addEventListener(
    "click",
    (event) => {
      const link = linkOf(event);
      if (!link) return hide();
      if (touched && link !== term) {
        event.preventDefault();
        show(link);
      }
    },
    true,
  );
  addEventListener("DOMContentLoaded", () => document.body.append(shown));

  // From an entry of the glossary to the part that shows it, and from lesson to lesson, as the menu's links do it: without
  // loading the app anew.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".aa-terms a, nav.lessons a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
  });
})();
