// After "Try it" the result takes the place of the proposal, but what is above it may become taller or shorter. The box stays
// where it was on the screen until the page is complete, or moves up as far as it needs to be seen whole, unless the user
// scrolls.
(() => {
  const BOX = "st-key-experiment-";
  const CALM = 1500; // milliseconds after the page's last run in which charts may still change their height
  const MOST = 60000; // milliseconds
  const ABOVE = 64; // pixels that the bar with the menu covers
  const BELOW = 48; // pixels that the bar of lessons covers
  let following = null;

  const stop = () => following?.abort();
  const follow = (name, top) => {
    stop();
    const { signal } = (following = new AbortController());
    for (const kind of ["wheel", "touchstart", "pointerdown", "keydown", "popstate"]) {
      addEventListener(kind, stop, { signal, capture: true, passive: true });
    }
    const from = performance.now();
    let busy = from; // when a run was last seen
    const step = () => {
      if (signal.aborted) return;
      const now = performance.now();
      const main = document.querySelector("[data-testid=stMain]");
      const box = document.getElementsByClassName(name)[0];
      if (document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning") busy = now;
      if (box) {
        const at = box.getBoundingClientRect();
        const by = at.top - Math.max(ABOVE, Math.min(top, innerHeight - BELOW - at.height));
        if (Math.abs(by) > 1) main.scrollTop += by;
      }
      now - busy < CALM && now - from < MOST ? requestAnimationFrame(step) : stop();
    };
    step();
  };

  document.addEventListener(
    "click",
    ({ target }) => {
      const box = target.closest?.("button")?.closest(`[class*="${BOX}"]`);
      if (!box) return;
      const name = [...box.classList].find((each) => each.startsWith(BOX));
      follow(name, box.getBoundingClientRect().top);
    },
    true,
  );
})();
