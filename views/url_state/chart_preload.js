// The script of Streamlit's charts is large. On a page of which a part has a chart, the browser fetches it while nothing
// else is to be done, so that the part opens at once.
(() => {
  const { charts, charted } = document.currentScript.dataset;
  const SITE = new URL(".", document.currentScript.src);
  const QUIET = 1000; // milliseconds without a run of the page
  const pages = new Set(charted.split(" "));
  if (!charts || navigator.connection?.saveData) return;
  let quiet = false;
  const look = setInterval(() => {
    const app = document.querySelector("[data-testid=stApp]");
    const still = app?.dataset.testScriptState === "notRunning" && pages.has(location.pathname.split("/").at(-1));
    if (still && quiet) {
      clearInterval(look);
      document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: new URL(charts, SITE) }));
    }
    quiet = still;
  }, QUIET);
})();
