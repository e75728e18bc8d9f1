/**
 * After "Try it" the result takes the place of the proposal, but what is above it may become taller or shorter. The box
 * stays where it was on the screen until the page is complete, or moves up as far as it needs to be seen whole, unless the
 * user scrolls.
 */

import { closest, isRunning } from "./dom"

const BOX = "st-key-experiment-"
const CALM = 1500 // milliseconds after the page's last run in which charts may still change their height
const MOST = 60000 // milliseconds
const ABOVE = 64 // pixels that the bar with the menu covers
const BELOW = 48 // pixels that the bar of lessons covers
const BY_USER = ["wheel", "touchstart", "pointerdown", "keydown", "popstate"]

/** Where the upper edge of a box should be, that was at `top`: it stays, or moves so that it is seen whole. */
export function topOfBox(top: number, height: number, screen: number): number {
  return Math.max(ABOVE, Math.min(top, screen - BELOW - height))
}

export function holdExperiments(): void {
  let following: AbortController | undefined

  const stop = () => following?.abort()
  const follow = (name: string, top: number) => {
    stop()
    const { signal } = (following = new AbortController())
    for (const kind of BY_USER) addEventListener(kind, stop, { signal, capture: true, passive: true })
    const from = performance.now()
    let busy = from // when a run was last seen
    const step = () => {
      if (signal.aborted) return
      const now = performance.now()
      const main = document.querySelector("[data-testid=stMain]")
      const box = document.getElementsByClassName(name)[0]
      if (isRunning()) busy = now
      if (main && box) {
        const at = box.getBoundingClientRect()
        const by = at.top - topOfBox(top, at.height, innerHeight)
        if (Math.abs(by) > 1) main.scrollTop += by
      }
      if (now - busy < CALM && now - from < MOST) requestAnimationFrame(step)
      else stop()
    }
    step()
  }

  const onClick = ({ target }: MouseEvent) => {
    const box = closest(target, "button")?.closest(`[class*="${BOX}"]`)
    const name = [...(box?.classList ?? [])].find((each) => each.startsWith(BOX))
    if (box && name) follow(name, box.getBoundingClientRect().top)
  }
  document.addEventListener("click", onClick, true)
}
