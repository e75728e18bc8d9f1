// One history entry per user action. Streamlit makes an entry of every address that the app writes; here only another
// page, a submitted sentence and another picture make one, and every other address replaces the one before.
//
// The two addresses decide, never the time at which they were written: pages are opened with a bare path and receive
// their whole address a moment later, and answers may arrive after the user's next action.
(() => {
  const ACTIONS = ["text", "picture"]; // parameters whose change is a user action
  const MENU = ".st-key-menu [data-testid=stPageLink-NavLink], .st-key-doors [data-testid=stPageLink-NavLink]";
  const SITE = new URL(".", document.currentScript.src);
  const { shared: names, moved } = document.currentScript.dataset;
  const shared = names.split(" ");
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);

  // The server is at the root of the site. Streamlit would first look for it below the address of the page.
  window.__streamlit = { BACKEND_BASE_URL: SITE.href };

  // After Back or Forward, the late answer of a page that was left must not become an entry, unless a link is pressed.
  let returned = false;
  window.addEventListener("popstate", () => (returned = true));

  // Until the answer to Back or Forward has arrived, the controls keep their old values, while messages contain the new
  // address. The server recognizes these messages by a parameter that is in the address only while Streamlit reads it,
  // and in no history entry.
  let steps = 0;
  window.addEventListener(
    "popstate",
    (event) => {
      if (!event.isTrusted || location.hash) return;
      event.stopImmediatePropagation();
      const address = location.href;
      const marked = new URL(address);
      marked.searchParams.set(moved, ++steps);
      replace(event.state, "", marked);
      window.dispatchEvent(new PopStateEvent("popstate", { state: event.state }));
      replace(event.state, "", address);
    },
    true,
  );
  document.addEventListener(
    "click",
    (event) => {
      if (event.composedPath().some(({ tagName }) => /^a$/i.test(tagName))) returned = false;
    },
    true,
  );

  // Streamlit sends typed text a moment after its input lost the focus, a slider's value after it stops moving, and a menu
  // link at once, after which values of the old page must not be sent. So link clicks are delayed until pending widget
  // values have been sent. The app's own components send theirs on "leavingpage", and dispatch "telling" when they pass a
  // value to Streamlit, which sends it a moment later too.
  const MOMENT = 500; // milliseconds; some inputs have nothing to send
  const NO_TEXT = ["radio", "checkbox", "range", "file"];
  const SLIDER = "[data-testid=stSlider]";
  const MOVES = /^(Arrow|Page|Home|End)/;
  let typed = false; // into an input that still has the focus
  let sliding = null; // the slider that a pointer moves
  let delayed = null; // links that wait until pending values have been sent; null if none are pending
  let delayTimer;
  const delayLinks = () => {
    delayed ??= [];
    clearTimeout(delayTimer);
    delayTimer = setTimeout(followDelayed, MOMENT);
  };
  const leaveInput = () => {
    if (typed) delayLinks();
    typed = false;
  };
  const followDelayed = () => {
    const links = delayed;
    delayed = null;
    links?.forEach(([link, event]) => link.dispatchEvent(new MouseEvent("click", event)));
  };
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (message) {
    send.call(this, message);
    followDelayed();
  };
  document.addEventListener("input", (event) => (typed ||= !NO_TEXT.includes(event.composedPath()[0].type)), true);
  document.addEventListener("focusout", leaveInput, true);
  document.addEventListener("keydown", ({ key }) => key === "Enter" && leaveInput(), true);
  document.addEventListener("keydown", ({ key, target }) => MOVES.test(key) && target.closest(SLIDER) && delayLinks(), true);
  document.addEventListener("pointerdown", ({ target }) => (sliding = target.closest(SLIDER)), true);
  document.addEventListener("pointerup", () => (sliding &&= delayLinks()), true);
  window.addEventListener("telling", delayLinks);
  window.addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.("[data-testid=stPageLink-NavLink]");
      if (!link) return;
      if (typed) document.activeElement.blur(); // for clicks that do not move the focus
      window.dispatchEvent(new Event("leavingpage"));
      if (!delayed) return leavePage(link);
      event.preventDefault();
      event.stopImmediatePropagation();
      delayed.push([link, event]);
    },
    true,
  );

  // A page that is being left accepts no user actions: Streamlit would request it again until the answer has arrived.
  const CONTENT =
    "[data-testid=stMainBlockContainer] > * > :not(:has(> .st-key-menu)), [data-testid=stSidebarUserContent]";
  const MOST = 5000; // milliseconds; the answer may never arrive
  let answerTimer;
  const setInteractive = (interactive) => document.querySelectorAll(CONTENT).forEach((part) => (part.inert = !interactive));
  let leaving = false; // a link to another page was pressed, and Streamlit has not opened it yet
  const leavePage = (link) => {
    if (link.pathname === location.pathname) return;
    leaving = true;
    setInteractive(false);
    clearTimeout(answerTimer);
    answerTimer = setTimeout(() => {
      leaving = false;
      setInteractive(true);
    }, MOST);
  };
  window.addEventListener("popstate", () => (leaving = false));
  window.addEventListener("popstate", () => setInteractive(true));

  const value = (url, name) => url.searchParams.getAll(name).at(-1);

  const changes = (names, from, to) =>
    names.some((name) => {
      const [before, after] = [value(from, name), value(to, name)];
      return before !== undefined && after !== undefined && before !== after;
    });

  // Streamlit may write the target page's parameters before it opens that page: only shared ones, under the path of the
  // page that is left, whose own parameters would be lost from its entry.
  const isEarly = (from, to) => {
    if (!leaving || from.pathname !== to.pathname) return false;
    const own = [...from.searchParams.keys()].filter((name) => !shared.includes(name));
    return own.length > 0 && !own.some((name) => to.searchParams.has(name));
  };

  const isUserAction = (from, to) => from.pathname !== to.pathname || changes(ACTIONS, from, to);

  history.pushState = (state, title, target) => {
    const from = new URL(location.href);
    const to = new URL(target ?? location.href, from);
    if (isEarly(from, to)) return;
    if (to.pathname !== from.pathname) {
      leaving = false;
      setInteractive(true);
    }
    if (to.href === from.href || (returned && to.pathname !== from.pathname)) return;
    (isUserAction(from, to) ? push : replace)(state, title, target);
    markSoon();
  };
  // Streamlit replaces while it goes back or forward. Another sentence can then only be the answer to an older action.
  history.replaceState = (state, title, target) => {
    const from = new URL(location.href);
    const to = new URL(target ?? location.href, from);
    if (isEarly(from, to) || (from.pathname === to.pathname && changes(["text"], from, to))) return;
    replace(state, title, target);
    markSoon();
  };

  // A choice in a component is written to the address at once; the component sends it to the server a moment later.
  // `detail` has a value, or null for the default, for each name.
  window.addEventListener("choosing", ({ detail }) => {
    const to = new URL(location.href);
    for (const [name, chosen] of Object.entries(detail)) {
      if (chosen === null) to.searchParams.delete(name);
      else to.searchParams.set(name, chosen);
    }
    history.replaceState(history.state, "", to);
  });

  // Add the shared parameters to the menu's links, for new tabs and copied links. Mark the link of the open page.
  function markLink(link) {
    const shownParameters = new URLSearchParams();
    for (const [name, text] of new URL(location.href).searchParams) if (shared.includes(name)) shownParameters.append(name, text);
    const to = new URL(link.getAttribute("href"), SITE);
    if (to.pathname === location.pathname) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (link.href === to.href && to.search.slice(1) === shownParameters.toString()) return;
    to.search = shownParameters.toString();
    link.href = to.href;
  }
  let waiting = false;
  function markSoon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      document.querySelectorAll(MENU).forEach(markLink);
    });
  }
  window.addEventListener("popstate", markSoon);
  // links are rendered after the first address, and a menu that opens renders its own again
  new MutationObserver(markSoon).observe(document, { childList: true, subtree: true });
})();
