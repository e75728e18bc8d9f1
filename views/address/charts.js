// Charts are drawn by a script of several megabytes, which Streamlit fetches when it draws the first one: fetched and read
// while nothing else is to be done, on pages where a part that is not open yet has a chart, it is there at once.
(() => {
  const { charts, charted } = document.currentScript.dataset;
  if (!charts || navigator.connection?.saveData) return;
  const pages = charted.split(" ");
  const STILL = 400; // milliseconds in which nothing on the page changes
  let waiting;
  const watch = new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(whenIdle, STILL);
  });
  const whenIdle = () => {
    if (!pages.includes(location.pathname.split("/").pop())) return;
    if (document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning") return watch.takeRecords();
    watch.disconnect();
    (self.requestIdleCallback ?? setTimeout)(() => {
      const link = Object.assign(document.createElement("link"), { href: charts });
      link.setAttribute("rel", "modulepreload");
      document.head.append(link);
    });
  };
  watch.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-test-script-state"] });
})();
