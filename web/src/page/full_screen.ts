/** Key F: a map in the whole screen, and back. The map is the one under the pointer or with the focus, else the nearest. */

import { MAPS, switchScreen } from "../core/whole_screen"
import { matches } from "./dom"

const WRITING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]"

/** Pixels from `point` to an extent; 0 within. */
export function distance(point: number, from: number, to: number): number {
  return Math.max(from - point, point - to, 0)
}

export function enlargeMaps(): void {
  document.addEventListener("keydown", (event) => {
    const [target] = event.composedPath()
    if (event.code !== "KeyF" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return
    if (!matches(target, WRITING)) switchScreen(chosenMap())
  })
}

function chosenMap(): HTMLElement | undefined {
  const components = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
  const maps = components.flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll<HTMLElement>(MAPS) ?? [])])
  const drawn = maps.filter(({ offsetHeight }) => offsetHeight > 0)
  const [nearest] = drawn.map((map) => [map, fromMiddle(map)] as const).sort(([, one], [, other]) => one - other)
  const chosen = [":hover", ":focus-within"].map((state) => drawn.find((map) => map.matches(state)))
  return chosen.find(Boolean) ?? nearest?.[0]
}

/** Pixels from the middle of the screen to an element, and to its own middle where several contain that of the screen. */
function fromMiddle(map: HTMLElement): number {
  const { left, right, top, bottom } = map.getBoundingClientRect()
  const [across, down] = [innerWidth / 2, innerHeight / 2]
  const away = Math.hypot(distance(across, left, right), distance(down, top, bottom))
  return away + Math.hypot(across - (left + right) / 2, down - (top + bottom) / 2) / 1e4
}
