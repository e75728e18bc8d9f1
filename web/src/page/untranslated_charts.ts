/**
 * Browsers do not translate charts, whose labels are tokens and numbers; their text alternatives say the rest. A chart has no
 * attributes of its own in Streamlit. Its tables are drawn on a canvas, which no browser translates.
 */

import { oncePerFrame } from "./dom"

const CHARTS = "[data-testid=stPlotlyChart]:not([translate])"

export function keepChartsUntranslated(): void {
  const mark = oncePerFrame(() => {
    for (const chart of document.querySelectorAll(CHARTS)) chart.setAttribute("translate", "no")
  })
  new MutationObserver(mark).observe(document, { childList: true, subtree: true })
}
