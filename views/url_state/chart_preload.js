// Preload the large script of Streamlit's charts while the page is idle, on pages where a part has a chart.
(() => {
  const { charts, charted } = document.currentScript.dataset;
  const SITE = new URL(".", document.currentScript.src);
  const QUIET = 1000; // milliseconds without a run of the page
  const pages = new Set(charted.split(" "));
  if (!charts || navigator.connection?.saveData) return;
  let quiet = false;
  const poll = setInterval(() => {
    const app = document.querySelector("[data-testid=stApp]");
    const idle = app?.dataset.testScriptState === "notRunning" && pages.has(location.pathname.split("/").at(-1));
    if (idle && quiet) {
      clearInterval(poll);
      document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: new URL(charts, SITE) }));
    }
    quiet = idle;
  }, QUIET);
})();
