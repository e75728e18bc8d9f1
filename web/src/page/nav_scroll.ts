/**
 * The menu: its place beside an open sidebar, and in the top bar if that has room for it. Its rows scroll to the open page,
 * and fade where they continue.
 */

import { matches, oncePerFrame } from "./dom"

const MAIN = "[data-testid=stMain]"
const ROWS = ".st-key-sections, .st-key-pages"
const LINKS = "a[aria-current=page]"
const BAR = 75 // least width in rem with which sections and pages are in one row

export function placeMenu(): void {
  const root = document.documentElement
  const shown = new WeakMap<Element, string>() // row -> the open page and the row's widths at the last update
  let watched: Element | null = null // the main part of the page: what the sidebar leaves

  const place = () => {
    const { left, width } = watched?.getBoundingClientRect() ?? { left: 0, width: innerWidth }
    root.style.setProperty("--main-left", `${left}px`)
    root.toggleAttribute("data-menu-in-bar", width >= BAR * parseFloat(getComputedStyle(root).fontSize))
  }
  const resized = new ResizeObserver(() => {
    place()
    update()
  })
  const update = () => {
    const main = document.querySelector(MAIN)
    if (main && main !== watched) {
      resized.disconnect()
      resized.observe(main)
      watched = main
    }
    for (const row of document.querySelectorAll<HTMLElement>(ROWS)) {
      fade(row)
      const open = [...row.querySelectorAll<HTMLElement>(LINKS)].find((link) => link.offsetWidth) // one is for phones
      const now = `${location.pathname} ${row.clientWidth} ${row.scrollWidth}`
      if (!open || now === shown.get(row)) continue
      shown.set(row, now)
      const [around, link] = [row.getBoundingClientRect(), open.getBoundingClientRect()]
      row.scrollLeft += link.left + link.width / 2 - (around.left + around.width / 2)
      fade(row)
    }
  }
  const soon = oncePerFrame(update)
  place()
  new MutationObserver(soon).observe(document, { childList: true, subtree: true })
  new MutationObserver(place).observe(root, { attributes: true, attributeFilter: ["data-present"] })
  addEventListener("resize", () => {
    place()
    soon()
  })
  addEventListener("scroll", ({ target }) => matches(target, ROWS) && fade(target as HTMLElement), true)
}

function fade(row: HTMLElement): void {
  const left = row.scrollLeft
  row.style.setProperty("--from", left > 1 ? "1" : "0")
  row.style.setProperty("--to", left + row.clientWidth < row.scrollWidth - 1 ? "1" : "0")
}
