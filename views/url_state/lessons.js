// The bar of lessons, for users who started them on the home page: the current lesson, its experiment, back and next.
// Only this browser stores whether the bar is shown and which lessons are done. The lessons come with the page.
(() => {
  const ON = "lessons";
  const DONE = "lessons-done";
  const LAST = "lessons-last";
  const START_LINK = ".st-key-doors a[href*='history']";
  const { shared } = document.currentScript.dataset;
  const root = document.documentElement;
  const bar = document.createElement("nav");
  bar.className = "lessons";
  bar.hidden = true;
  let content = null; // lessons and words, from the page
  let drawn = ""; // the state that the bar shows

  // A browser may store nothing, for privacy: then the bar lasts as long as the page.
  const memory = {};
  const read = (name) => {
    try {
      return localStorage.getItem(name) ?? memory[name] ?? "";
    } catch {
      return memory[name] ?? "";
    }
  };
  const store = (name, value) => {
    memory[name] = value;
    try {
      localStorage.setItem(name, value);
    } catch {}
  };
  const done = () => new Set(read(DONE).split(" ").filter(Boolean));

  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const element = (kind, text, more = {}) => bar.appendChild(Object.assign(document.createElement(kind), { textContent: text }, more));
  const page = () => location.pathname.split("/").pop();
  const here = () => {
    const part = (lesson) => new URLSearchParams(location.search).get(lesson.key) ?? (lesson.first ? lesson.part : "");
    return content.lessons.findIndex((lesson) => lesson.page === page() && part(lesson) === lesson.part);
  };
  // With the sentence and the other shared parameters.
  const addressOf = (lesson) => {
    const carried = [...new URLSearchParams(location.search)].filter(([name]) => shared.split(" ").includes(name));
    return `${lesson.page}?${lesson.query}${carried.length ? `&${new URLSearchParams(carried)}` : ""}`;
  };
  const taskOf = (lesson) => document.querySelector(`.st-key-experiment-${lesson.experiment}`);
  // During a run the experiment's text may be rendered without its button.
  const isDrawn = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
  const isTried = (task) => isDrawn() && Boolean(task && !task.querySelector("[class*=st-key-try-]") && task.textContent);

  const draw = (at) => {
    const { lessons, words } = content;
    const finished = done();
    const place = at < 0 ? Math.max(0, lessons.findIndex(({ experiment }) => experiment === read(LAST))) : at;
    const lesson = lessons[place];
    const task = at < 0 ? null : taskOf(lesson);
    const known = finished.has(lesson.experiment);
    const now = JSON.stringify([at, place, location.search, known, Boolean(task), finished.size, words, lessons]);
    if (now === drawn) return;
    drawn = now;
    bar.replaceChildren();
    bar.setAttribute("aria-label", words.lessons);
    const values = { number: place + 1, all: lessons.length, name: lesson.name };
    if (at < 0) element("a", filled(words.away, values), { href: addressOf(lesson), className: "place" });
    else element("span", filled(words.place, values), { className: "place" });
    const dots = element("span", "", { className: "dots" });
    dots.setAttribute("aria-hidden", true);
    for (const [number, other] of lessons.entries()) {
      const dot = dots.appendChild(document.createElement("i"));
      dot.toggleAttribute("data-done", finished.has(other.experiment));
      dot.toggleAttribute("data-here", number === at);
    }
    if (known) element("span", words.done, { className: "done" });
    if (task) element("button", words.task, { type: "button", onclick: () => scrollToTask(taskOf(lesson)) });
    if (at > 0) element("a", words.back, { href: addressOf(lessons[at - 1]), rel: "prev" });
    if (at >= 0 && at < lessons.length - 1) element("a", words.next, { href: addressOf(lessons[at + 1]), rel: "next" });
    element("button", words.leave, { type: "button", onclick: leave });
  };
  const scrollToTask = (task) => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const behavior = still ? "auto" : "smooth";
    task.scrollIntoView({ behavior, block: "center" });
    task.querySelector("button")?.focus({ preventScroll: true });
  };
  const leave = () => {
    store(ON, "");
    update();
  };

  const update = () => {
    const source = document.querySelector("[data-lessons]");
    const on = Boolean(source) && read(ON) === "1";
    bar.hidden = !on;
    root.toggleAttribute("data-on-lessons", on);
    if (!on) return;
    content = JSON.parse(source.dataset.lessons);
    const at = here();
    if (at >= 0) {
      const { experiment } = content.lessons[at];
      if (read(LAST) !== experiment) store(LAST, experiment);
      if (isTried(taskOf(content.lessons[at])) && !done().has(experiment)) store(DONE, [...done(), experiment].join(" "));
    }
    draw(at);
  };

  document.addEventListener(
    "click",
    ({ target }) => {
      if (!target.closest?.(START_LINK)) return;
      store(ON, "1");
      store(LAST, "");
    },
    true,
  );
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => !bar.contains(target))) soon();
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["data-test-script-state"] });
  addEventListener("popstate", soon);
  addEventListener("storage", soon);
  addEventListener("DOMContentLoaded", () => document.body.append(bar));
})();
