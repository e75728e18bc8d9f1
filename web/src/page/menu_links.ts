/** The menu's links have the shared parameters, for new tabs and copied links; that of the open page is marked. */

import { sharedQuery } from "./addresses"
import { oncePerFrame } from "./dom"

const MENU = ".st-key-menu [data-testid=stPageLink-NavLink], .st-key-doors [data-testid=stPageLink-NavLink]"

/** Returns a function that is called when the address has changed. */
export function markMenuLinks(site: URL, shared: readonly string[]): () => void {
  const markLink = (link: HTMLAnchorElement) => {
    const query = sharedQuery(location.search, shared).toString()
    const to = new URL(link.getAttribute("href") ?? "", site)
    if (to.pathname === location.pathname) link.setAttribute("aria-current", "page")
    else link.removeAttribute("aria-current")
    if (link.href === to.href && to.search.slice(1) === query) return
    to.search = query
    link.href = to.href
  }
  const markSoon = oncePerFrame(() => document.querySelectorAll<HTMLAnchorElement>(MENU).forEach(markLink))
  window.addEventListener("popstate", markSoon)
  // links are rendered after the first address, and a menu that opens renders its own again
  new MutationObserver(markSoon).observe(document, { childList: true, subtree: true })
  return markSoon
}
