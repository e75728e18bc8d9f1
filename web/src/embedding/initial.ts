/**
 * A component in the initial page of the server: mounted before Streamlit's scripts have loaded, and removed as soon as the
 * page's own is rendered, the outline has faded out, or the user acts on the page below. It waits for the font, without which
 * labels have another width.
 */

import { place } from "./mount"

declare global {
  interface WindowEventMap {
    shown: CustomEvent<HTMLElement>
  }
}

const outline = document.querySelector(".first")!
const component = outline.querySelector<HTMLTemplateElement>("template")!.content
const root = `.${component.lastElementChild!.className}`
const left = new AbortController()
const { signal } = left
let unmount = () => {}

function leave(): void {
  left.abort()
  outline.remove()
  unmount() // a view goes on as long as it is in the document
}

function makeRoom(): void {
  if (document.querySelector("[data-testid=stMain] [data-testid=stElementContainer]")) leave()
}

const isOfPage = (shown: HTMLElement) => shown.matches(root) && !outline.contains((shown.getRootNode() as ShadowRoot).host)
const isSeen = (shown: HTMLElement) => getComputedStyle(shown).visibility === "visible" // not while it waits for others
const onShown = ({ detail }: CustomEvent<HTMLElement>): void => {
  if (!isOfPage(detail)) return
  if (isSeen(detail)) leave()
  else window.addEventListener("opened", leave, { signal })
}
window.addEventListener("shown", onShown, { signal })
outline.addEventListener("animationend", ({ target }) => target === outline && leave(), { signal })
window.addEventListener("pointerdown", makeRoom, { capture: true, signal })
window.addEventListener("keydown", makeRoom, { capture: true, signal })

void document.fonts.load(getComputedStyle(outline).font).finally(() => {
  if (outline.isConnected) unmount = place(outline, component)()
})
