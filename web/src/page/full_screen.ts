/**
 * Key F: a map or chart in the whole screen, and back. It is the one under the pointer or with the focus, else the nearest.
 * A chart is enlarged by Streamlit's own button, the last of its tools.
 */

import { keyHandler } from "../core/dom"
import { MAPS, switchScreen } from "../core/whole_screen"
import { matches } from "./dom"

const WRITING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]"

const COVERS = 0.8 // share of the window that only an enlarged chart has
const USED = [":hover", ":focus-within"] // states of the map that is meant
const CHARTS = ".js-plotly-plot:has(.modebar-btn)"

/** Pixels from `point` to an extent; 0 within. */
export function distance(point: number, from: number, to: number): number {
  return Math.max(from - point, point - to, 0)
}

export function enlargeMaps(): void {
  const onKey = keyHandler((event) => {
    const [target] = event.composedPath()
    if (event.code !== "KeyF" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return
    if (matches(target, WRITING)) return
    const chosen = chosenMap()
    if (!chosen?.matches(CHARTS) || document.fullscreenElement) return switchScreen(chosen)
    const tools = chosen.querySelectorAll<HTMLElement>(".modebar-btn")
    tools[tools.length - 1]?.click()
  })
  document.addEventListener("keydown", onKey)
}

function chosenMap(): HTMLElement | undefined {
  const charts = [...document.querySelectorAll<HTMLElement>(CHARTS)]
  const enlarged = charts.find(({ offsetWidth, offsetHeight }) => offsetWidth * offsetHeight > COVERS * innerWidth * innerHeight)
  if (enlarged) return enlarged
  const components = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
  const maps = components.flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll<HTMLElement>(MAPS) ?? [])])
  const drawn = [...maps, ...charts].filter(({ offsetHeight }) => offsetHeight > 0)
  const [nearest] = drawn.map((map) => [map, fromMiddle(map)] as const).sort(([, one], [, other]) => one - other)
  const chosen = USED.map((state) => drawn.find((map) => map.matches(state)))
  return chosen.find(Boolean) ?? nearest?.[0]
}

/** Pixels from the middle of the screen to an element, and to its own middle where several contain that of the screen. */
function fromMiddle(map: HTMLElement): number {
  const { left, right, top, bottom } = map.getBoundingClientRect()
  const [across, down] = [innerWidth / 2, innerHeight / 2]
  const away = Math.hypot(distance(across, left, right), distance(down, top, bottom))
  return away + Math.hypot(across - (left + right) / 2, down - (top + bottom) / 2) / 1e4
}
