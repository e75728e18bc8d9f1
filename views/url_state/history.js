// One entry in the browser's history for one deed. Streamlit makes an entry of every address that the app writes; here
// only another page, a submitted sentence and another picture make one, and every other address replaces the one before.
//
// What decides is what the two addresses say, never when they were written: pages are opened with a bare path and told
// their whole address a moment later, and answers may overtake what a reader does next.
(() => {
  const DEEDS = ["text", "picture"];
  const MENU = ".st-key-menu [data-testid=stPageLink-NavLink], .st-key-doors [data-testid=stPageLink-NavLink]";
  const SITE = new URL(".", document.currentScript.src);
  const { shared: names, moved } = document.currentScript.dataset;
  const shared = names.split(" ");
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);

  // The server answers at the site's own address. Streamlit would first look for it below the address of the page.
  window.__streamlit = { BACKEND_BASE_URL: SITE.href };

  // After Back or Forward, a page that no link was pressed for has been left: its answer was only on its way.
  let returned = false;
  window.addEventListener("popstate", () => (returned = true));

  // Until the answer to Back or Forward has come, the controls show what they did before, while messages name the address
  // that was gone to. The server tells such messages from later ones by a word in what Streamlit takes for the address:
  // it is there while Streamlit reads it, and in no entry of the history.
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

  // Streamlit tells of what was typed a moment after its box was left, of a slider once it stands still, and of a link of
  // the menu at once, from which on it must not tell of the page that is left. So a link that is pressed sooner waits
  // until the box or the slider has had its say. The app's own components hear "leavingpage", when they say what they
  // still have to, and let "telling" be heard: Streamlit takes a moment to send that too.
  const MOMENT = 500; // milliseconds; some boxes have nothing to say
  const NO_TEXT = ["radio", "checkbox", "range", "file"];
  const SLIDER = "[data-testid=stSlider]";
  const MOVES = /^(Arrow|Page|Home|End)/;
  let typed = false; // into a box that has not been left yet
  let sliding = null; // the slider that a pointer moves
  let held = null; // links that wait for what was set last to be told; null where nothing is
  let patience;
  const hold = () => {
    held ??= [];
    clearTimeout(patience);
    patience = setTimeout(follow, MOMENT);
  };
  const leave = () => {
    if (typed) hold();
    typed = false;
  };
  const follow = () => {
    const links = held;
    held = null;
    links?.forEach(([link, event]) => link.dispatchEvent(new MouseEvent("click", event)));
  };
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (message) {
    send.call(this, message);
    follow();
  };
  document.addEventListener("input", (event) => (typed ||= !NO_TEXT.includes(event.composedPath()[0].type)), true);
  document.addEventListener("focusout", leave, true);
  document.addEventListener("keydown", ({ key }) => key === "Enter" && leave(), true);
  document.addEventListener("keydown", ({ key, target }) => MOVES.test(key) && target.closest(SLIDER) && hold(), true);
  document.addEventListener("pointerdown", ({ target }) => (sliding = target.closest(SLIDER)), true);
  document.addEventListener("pointerup", () => (sliding &&= hold()), true);
  window.addEventListener("telling", hold);
  window.addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.("[data-testid=stPageLink-NavLink]");
      if (!link) return;
      if (typed) document.activeElement.blur(); // by what presses links without moving the focus
      window.dispatchEvent(new Event("leavingpage"));
      if (!held) return leavePage(link);
      event.preventDefault();
      event.stopImmediatePropagation();
      held.push([link, event]);
    },
    true,
  );

  // A page that is left takes no more deeds: Streamlit would ask for it again, as long as no answer has come.
  const LEFT =
    "[data-testid=stMainBlockContainer] > * > :not(:has(> .st-key-menu)), [data-testid=stSidebarUserContent]";
  const MOST = 5000; // milliseconds; an answer may never come
  let answer;
  const takeDeeds = (taken) => document.querySelectorAll(LEFT).forEach((part) => (part.inert = !taken));
  let leaving = false; // a link to another page was pressed, and Streamlit has not gone there yet
  const leavePage = (link) => {
    if (link.pathname === location.pathname) return;
    leaving = true;
    takeDeeds(false);
    clearTimeout(answer);
    answer = setTimeout(() => {
      leaving = false;
      takeDeeds(true);
    }, MOST);
  };
  window.addEventListener("popstate", () => (leaving = false));
  window.addEventListener("popstate", () => takeDeeds(true));

  const value = (url, name) => url.searchParams.getAll(name).at(-1);

  const changes = (names, from, to) =>
    names.some((name) => {
      const [before, after] = [value(from, name), value(to, name)];
      return before !== undefined && after !== undefined && before !== after;
    });

  // Streamlit may write what the page to come says before it goes there: shared names alone, below the page that is left,
  // whose own ones would be gone from its entry.
  const isEarly = (from, to) => {
    if (!leaving || from.pathname !== to.pathname) return false;
    const own = [...from.searchParams.keys()].filter((name) => !shared.includes(name));
    return own.length > 0 && !own.some((name) => to.searchParams.has(name));
  };

  const isDeed = (from, to) => from.pathname !== to.pathname || changes(DEEDS, from, to);

  history.pushState = (state, title, target) => {
    const from = new URL(location.href);
    const to = new URL(target ?? location.href, from);
    if (isEarly(from, to)) return;
    if (to.pathname !== from.pathname) {
      leaving = false;
      takeDeeds(true);
    }
    if (to.href === from.href || (returned && to.pathname !== from.pathname)) return;
    (isDeed(from, to) ? push : replace)(state, title, target);
    markSoon();
  };
  // Streamlit replaces while it goes back or forward. Another sentence can then only be the answer to an older deed.
  history.replaceState = (state, title, target) => {
    const from = new URL(location.href);
    const to = new URL(target ?? location.href, from);
    if (isEarly(from, to) || (from.pathname === to.pathname && changes(["text"], from, to))) return;
    replace(state, title, target);
    markSoon();
  };

  // What is chosen in a component stands in the address at once; the component tells the server a moment later, which then
  // says the same. `detail` has a value, or null for none, for each name.
  window.addEventListener("choosing", ({ detail }) => {
    const to = new URL(location.href);
    for (const [name, chosen] of Object.entries(detail)) {
      if (chosen === null) to.searchParams.delete(name);
      else to.searchParams.set(name, chosen);
    }
    history.replaceState(history.state, "", to);
  });

  // A link of the menu that is opened in a new tab, or copied, carries what all pages share. The open page's is marked.
  function markLink(link) {
    const carried = new URLSearchParams();
    for (const [name, text] of new URL(location.href).searchParams) if (shared.includes(name)) carried.append(name, text);
    const to = new URL(link.getAttribute("href"), SITE);
    if (to.pathname === location.pathname) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (link.href === to.href && to.search.slice(1) === carried.toString()) return;
    to.search = carried.toString();
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
  // links come after the first address, and a menu that opens makes its own anew
  new MutationObserver(markSoon).observe(document, { childList: true, subtree: true });
})();
