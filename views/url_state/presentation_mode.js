// For a lecture hall: `present=1` in the address, or Shift+P, shows the page in large type, without sidebar and prose. The
// arrow keys then go from step to step on pages with steps. Others, such as the play button, dispatch "stepping": `by`
// steps, and `slowly` to fade one picture into the next.
(() => {
  const NAME = "present";
  const WRITING = "input, textarea, select, [contenteditable]";
  const MOST = 2000; // milliseconds; a step may take its time
  const root = document.documentElement;
  let presenting = new URLSearchParams(location.search).has(NAME);

  // An address with the parameter of the mode.
  const withMode = (target) => {
    const to = new URL(target ?? location.href, location.href);
    presenting ? to.searchParams.set(NAME, 1) : to.searchParams.delete(NAME);
    return to.href;
  };
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  history.pushState = (state, title, target) => push(state, title, withMode(target));
  history.replaceState = (state, title, target) => replace(state, title, withMode(target));
  const present = (on) => {
    presenting = on;
    root.toggleAttribute("data-present", on);
    replace(history.state, "", withMode());
  };
  root.toggleAttribute("data-present", presenting);
  addEventListener("popstate", () => present(presenting));

  // The element that goes `by` steps: a button, an option, or a button of a component; null at the end or without steps.
  const stepControl = (by) => {
    const main = document.querySelector("[data-testid=stMain]");
    const options = [...main.querySelectorAll(".st-key-step [role=radio]")];
    const chosen = options.findIndex(({ ariaChecked }) => ariaChecked === "true");
    const inside = [...main.querySelectorAll("[data-testid=stBidiComponentIsolated]")].flatMap(({ shadowRoot }) => [
      ...(shadowRoot?.querySelectorAll(".slider:not([hidden]) button") ?? []),
    ]);
    const button = main.querySelector(by < 0 ? ".st-key-step_back button" : ".st-key-step_forward button");
    const control = button ?? options[chosen + by] ?? (options.length ? null : inside[by < 0 ? 0 : 1]);
    return control?.disabled ? null : control;
  };
  const drawn = async () => {
    const app = document.querySelector("[data-testid=stApp]");
    const from = performance.now();
    do await new Promise((later) => setTimeout(later, 100));
    while (app.dataset.testScriptState !== "notRunning" && performance.now() - from < MOST);
  };
  addEventListener("stepping", (event) => {
    const { by, slowly } = event.detail;
    const control = stepControl(by);
    if (!control) event.preventDefault();
    else if (!slowly || !document.startViewTransition) control.click();
    else
      document.startViewTransition(() => {
        control.click();
        return drawn();
      });
  });

  document.addEventListener("keydown", (event) => {
    const [target] = event.composedPath();
    if (target.matches?.(WRITING) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && event.code === "KeyP") present(!presenting);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!presenting || !by || !target.matches?.("body, main, button:not([role])")) return;
    event.preventDefault();
    dispatchEvent(new CustomEvent("stepping", { detail: { by } }));
  });
})();
