/**
 * Show the explanation of a glossary link, its title, while the pointer or the focus is on it. On a touch screen the first
 * tap shows it and the second opens the glossary.
 */

import { keyHandler } from "../core/dom"
import { appendToBody, closest, matches } from "./dom"

const LINKS = "a[href*='glossary?find=']"
const LEAVES = 200 // milliseconds in which the pointer may move from the term to its explanation

export function explainTerms(): void {
  const tooltip = document.createElement("div")
  tooltip.id = "explained-term"
  tooltip.setAttribute("role", "tooltip")
  tooltip.hidden = true
  let term: HTMLElement | null = null
  let leaving: number | undefined

  const show = (link: HTMLElement) => {
    window.clearTimeout(leaving)
    if (link === term) return
    hide()
    link.dataset.explained ??= link.title
    link.removeAttribute("title") // the browser's own tooltip would cover it
    link.setAttribute("aria-describedby", tooltip.id)
    tooltip.textContent = link.dataset.explained
    tooltip.hidden = false
    term = link
    const [around = link.getBoundingClientRect()] = link.getClientRects()
    const { width, height } = tooltip.getBoundingClientRect()
    const below = around.bottom + 6 + height < innerHeight
    tooltip.style.left = `${Math.max(8, Math.min(around.left, document.documentElement.clientWidth - width - 8))}px`
    tooltip.style.top = `${below ? around.bottom + 6 : Math.max(8, around.top - height - 6)}px`
  }
  const hide = () => {
    term?.removeAttribute("aria-describedby")
    term = null
    tooltip.hidden = true
  }

  document.addEventListener("pointerover", (event) => {
    const link = linkOf(event)
    if (link && event.pointerType === "mouse") show(link)
    else if (tooltip.contains(event.target as Node | null)) window.clearTimeout(leaving)
    else if (term && event.pointerType === "mouse") {
      window.clearTimeout(leaving)
      leaving = window.setTimeout(hide, LEAVES)
    }
  })
  document.addEventListener("focusin", (event) => {
    const link = linkOf(event)
    if (link && matches(link, ":focus-visible")) show(link)
  })
  document.addEventListener("focusout", (event) => linkOf(event) && hide())
  document.addEventListener("keydown", keyHandler(({ key }) => key === "Escape" && hide()))
  addEventListener("scroll", hide, true)
  let touched = false
  document.addEventListener("pointerdown", ({ pointerType }) => (touched = pointerType !== "mouse"), true)
  const onClick = (event: MouseEvent) => {
    const link = linkOf(event)
    if (!link) return hide()
    if (touched && link !== term) {
      event.preventDefault()
      show(link)
    }
  }
  document.addEventListener("click", onClick, true)
  appendToBody(tooltip)
}

/** The link of an event, which may be inside a component. */
function linkOf(event: Event): HTMLElement | null {
  return closest(event.composedPath()[0], LINKS)
}
