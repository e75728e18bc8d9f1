/** Key F: a map in the whole screen, and back. The map is the one under the pointer or with the focus, else the most visible. */

import { matches } from "./dom"

const WRITING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]"
const MAPS = ".detail[data-drawn]"

/** The part of an extent that is within `most` pixels from 0. */
export function visible(from: number, to: number, most: number): number {
  return Math.max(0, Math.min(to, most) - Math.max(from, 0))
}

export function enlargeMaps(): void {
  document.addEventListener("keydown", (event) => {
    const [target] = event.composedPath()
    if (event.code !== "KeyF" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat) return
    if (matches(target, WRITING)) return
    if (document.fullscreenElement) void document.exitFullscreen()
    else void chosenMap()?.requestFullscreen().catch(() => {}) // a frame around the page may forbid it
  })
}

function chosenMap(): HTMLElement | undefined {
  const components = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
  const maps = components.flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll<HTMLElement>(MAPS) ?? [])])
  const shown = maps.map((map) => [map, visibleSize(map)] as const).filter(([, size]) => size > 0)
  const [largest] = [...shown].sort(([, one], [, other]) => other - one)
  const chosen = [":hover", ":focus-within"].map((state) => shown.find(([map]) => map.matches(state)))
  return (chosen.find(Boolean) ?? largest)?.[0]
}

/** Pixels of an element that are on the screen. */
function visibleSize(map: HTMLElement): number {
  const { left, right, top, bottom } = map.getBoundingClientRect()
  return visible(left, right, innerWidth) * visible(top, bottom, innerHeight)
}
