/** Maps that can be shown in the whole screen: by key F, see page/full_screen.ts, or by their button. */

import { button, svgElement } from "./dom"

/** Selects the elements that can be shown in the whole screen. */
export const MAPS = "[data-map]"

const CORNERS = "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4"

/** Shows an element in the whole screen, or ends that. */
export function switchScreen(map: HTMLElement | undefined): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else void map?.requestFullscreen().catch(() => {}) // a frame around the page may forbid it
}

/**
 * Marks an element as a map and appends its button, to the map or to `holder` in it. Its text is written into the page by
 * views/navigation.py. A saved page and the initial one have none: the button has its place there and is not seen.
 */
export function offerWholeScreen(map: HTMLElement, holder = map): void {
  map.dataset.map = ""
  const words = document.querySelector<HTMLElement>("style[data-whole-screen]")
  const shown = button(holder, "", () => switchScreen(map))
  shown.className = "to-screen"
  shown.classList.toggle("absent", !words || !document.fullscreenEnabled)
  shown.title = shown.ariaLabel = words?.dataset.wholeScreen ?? ""
  const picture = svgElement("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, shown)
  svgElement("path", { d: CORNERS, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }, picture)
}
