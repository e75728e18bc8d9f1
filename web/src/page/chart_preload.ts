/** Preload the large script of Streamlit's charts while the page is idle, on pages where a part has a chart. */

import { isRunning } from "./dom"

const QUIET = 1000 // milliseconds without a run of the page

declare global {
  interface Navigator {
    connection?: { saveData: boolean } // not in all browsers
  }
}

/** `charts`: path of that script, empty if it is not known; `charted`: the pages. */
export function preloadCharts(site: URL, charts: string, charted: readonly string[]): void {
  if (!charts || navigator.connection?.saveData) return
  let quiet = false
  const poll = setInterval(() => {
    const idle = !isRunning() && charted.includes(location.pathname.split("/").at(-1) ?? "")
    if (idle && quiet) {
      clearInterval(poll)
      const link = Object.assign(document.createElement("link"), { rel: "modulepreload", href: new URL(charts, site).href })
      document.head.append(link)
    }
    quiet = idle
  }, QUIET)
}
