/** Follow links of the glossary and of lessons as the menu's links do, without reloading the app. */

import { closest } from "./dom"

export function followInternalLinks(): void {
  document.addEventListener("click", (event) => {
    const link = closest(event.target, ".aa-terms a, nav.lessons a")
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    history.pushState(null, "", link.href)
    dispatchEvent(new PopStateEvent("popstate", { state: null }))
  })
}
