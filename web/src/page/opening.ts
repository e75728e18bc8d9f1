/**
 * While a page opens, elements are seen from the top on: what is below one that has not arrived is hidden, see content.css,
 * so that nothing moves that was seen. It ends once all have arrived, and after a while in any case.
 */

import { isRunning, oncePerFrame } from "./dom"

const MAIN = "[data-testid=stMain]"
const WAITING = `${MAIN} :is([data-testid=stSkeleton], [data-testid=stBidiComponentIsolated]:not([data-shown]))`
// What the server sent in place of the page; a component there removes it itself, with the end of what it listens to.
const FIRST = ".first:not(:has(template))"
const LONGEST = 10_000 // milliseconds after the page has its title

export function openFromTop(): void {
  const page = document.documentElement
  page.toggleAttribute("data-opening", true)
  const end = (): void => {
    observer.disconnect()
    page.removeAttribute("data-opening")
    document.querySelector(FIRST)?.remove() // hidden by now: it would come back on a page without a translation
    window.dispatchEvent(new Event("opened"))
  }
  let begun = false
  const update = oncePerFrame(() => {
    if (!document.querySelector(`${MAIN} h1`)) return
    if (!begun) setTimeout(end, LONGEST)
    begun = true
    if (!isRunning() && !document.querySelector(WAITING)) end()
  })
  const observer = new MutationObserver(update)
  const attributeFilter = ["data-shown", "data-test-script-state"]
  observer.observe(document, { childList: true, subtree: true, attributeFilter })
}
