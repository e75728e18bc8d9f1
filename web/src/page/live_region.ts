/**
 * For screen readers: announce changes outside the focus in one live region, and restore the focus when the upload box that
 * has it is rendered again.
 */

import { appendToBody, closest } from "./dom"

const NEWS = "[data-announced]"
const BOX = "[data-testid=stFileUploaderDropzone]" // rendered again after each upload
const STILL = 300 // milliseconds without another change

export function announceChanges(): void {
  const region = document.createElement("div")
  region.className = "announced"
  region.setAttribute("role", "status")

  // A page that was just opened is read from its title on: only later changes are announced.
  let path: string | undefined
  let known: string[] = []
  let typing = false // the results of a sentence are announced once it is entered
  const read = () => {
    if (typing && path === location.pathname) return
    const elements = [...document.querySelectorAll<HTMLElement>(NEWS)]
    if (!elements.length) return // between two pages
    const news = elements.filter(({ innerText }, place) => place in known && known[place] !== innerText)
    if (path === location.pathname && news.length) region.replaceChildren(...news.map(announcement))
    path = location.pathname
    known = elements.map(({ innerText }) => innerText)
  }

  let boxed = false // whether the focus was last in the box
  document.addEventListener("focusin", ({ target }) => (boxed = Boolean(closest(target, BOX))))
  document.addEventListener("pointerdown", ({ target }) => (boxed &&= Boolean(closest(target, BOX))), true)

  let waiting: number | undefined
  const readSoon = () => {
    window.clearTimeout(waiting)
    waiting = window.setTimeout(read, STILL)
  }
  window.addEventListener("typing", () => (typing = true))
  const endTyping = () => {
    if (typing) readSoon()
    typing = false
  }
  window.addEventListener("entering", endTyping)
  window.addEventListener("popstate", endTyping)
  new MutationObserver((changes) => {
    if (changes.every(({ target }) => target === region)) return
    if (boxed && document.activeElement === document.body) {
      document.querySelector<HTMLElement>(`${BOX} button`)?.focus()
    }
    if (path !== location.pathname) read()
    readSoon()
  }).observe(document, { childList: true, characterData: true, subtree: true })
  appendToBody(region)
}

function announcement({ innerText, lang, dataset, translate }: HTMLElement): HTMLElement {
  const copy = Object.assign(document.createElement("p"), { textContent: innerText, lang, translate })
  if (dataset.said) copy.dataset.said = dataset.said
  return copy
}
