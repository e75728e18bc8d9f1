// Show the explanation of a glossary link, its title, while the pointer or the focus is on it. On a touch screen the first
// tap shows it and the second opens the glossary.
(() => {
  const LINKS = "a[href*='glossary?find=']";
  const LEAVES = 200; // milliseconds in which the pointer may move from the term to its explanation
  const tooltip = document.createElement("div");
  tooltip.id = "explained-term";
  tooltip.setAttribute("role", "tooltip");
  tooltip.hidden = true;
  let term = null;
  let leaving;

  const show = (link) => {
    clearTimeout(leaving);
    if (link === term) return;
    hide();
    link.dataset.explained ??= link.title;
    link.removeAttribute("title"); // the browser's own tooltip would cover it
    link.setAttribute("aria-describedby", tooltip.id);
    tooltip.textContent = link.dataset.explained;
    tooltip.hidden = false;
    term = link;
    const [around, { width, height }] = [link.getClientRects()[0], tooltip.getBoundingClientRect()];
    const below = around.bottom + 6 + height < innerHeight;
    tooltip.style.left = `${Math.max(8, Math.min(around.left, document.documentElement.clientWidth - width - 8))}px`;
    tooltip.style.top = `${below ? around.bottom + 6 : Math.max(8, around.top - height - 6)}px`;
  };
  const hide = () => {
    term?.removeAttribute("aria-describedby");
    term = null;
    tooltip.hidden = true;
  };
  const linkOf = (event) => event.composedPath()[0].closest?.(LINKS); // also inside a component

  document.addEventListener("pointerover", (event) => {
    const link = linkOf(event);
    if (link && event.pointerType === "mouse") show(link);
    else if (tooltip.contains(event.target)) clearTimeout(leaving);
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
  addEventListener("DOMContentLoaded", () => document.body.append(tooltip));

  // Follow links of the glossary and of lessons as the menu's links do, without reloading the app.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".aa-terms a, nav.lessons a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
  });
})();
