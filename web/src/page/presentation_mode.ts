/**
 * For a lecture hall: `present=1` in the address, or Shift+P, shows the page in large type, without sidebar and prose. The
 * arrow keys then go from step to step on pages with steps. Others, such as the play button, dispatch "stepping".
 */

import { keyHandler } from "../core/dom"
import { appElement, isRunning, matches } from "./dom"

const NAME = "present"
const WRITING = "input, textarea, select, [contenteditable]"
const MOST = 2000 // milliseconds; a step may take its time
const ARROWS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

declare global {
  interface WindowEventMap {
    /** `by` steps; `slowly`: one picture fades into the next. Cancelled where there is no such step. */
    stepping: CustomEvent<{ by: number; slowly?: boolean }>
  }
}

/** An address with the parameter of the mode, or without it. */
export function withMode(address: string | URL, base: string, presenting: boolean): string {
  const to = new URL(address, base)
  if (presenting) to.searchParams.set(NAME, "1")
  else to.searchParams.delete(NAME)
  return to.href
}

export function presentPages(): void {
  const root = document.documentElement
  let presenting = new URLSearchParams(location.search).has(NAME)
  const inMode = (target?: string | URL | null) => withMode(target ?? location.href, location.href, presenting)
  const push = history.pushState.bind(history)
  const replace = history.replaceState.bind(history)
  history.pushState = (state, title, target) => push(state, title, inMode(target))
  history.replaceState = (state, title, target) => replace(state, title, inMode(target))
  const present = (on: boolean) => {
    presenting = on
    root.toggleAttribute("data-present", on)
    replace(history.state, "", inMode())
  }
  root.toggleAttribute("data-present", presenting)
  addEventListener("popstate", () => present(presenting))
  addEventListener("stepping", onStepping)

  const onKey = keyHandler((event) => {
    const [target] = event.composedPath()
    if (matches(target, WRITING) || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.shiftKey && event.code === "KeyP") present(!presenting)
    const by = ARROWS[event.key]
    if (!presenting || !by || !matches(target, "body, main, button:not([role])")) return
    event.preventDefault()
    dispatchEvent(new CustomEvent("stepping", { detail: { by } }))
  })
  document.addEventListener("keydown", onKey)
}

function onStepping(event: WindowEventMap["stepping"]): void {
  const { by, slowly } = event.detail
  const control = stepControl(by)
  if (!control) event.preventDefault()
  else if (!slowly || !("startViewTransition" in document)) control.click()
  else {
    document.startViewTransition(() => {
      control.click()
      return drawn()
    })
  }
}

/** The element that goes `by` steps: a button, an option, or a button of a component; null at the end or without steps. */
function stepControl(by: number): HTMLElement | null {
  const main = document.querySelector("[data-testid=stMain]")
  if (!main) return null
  const options = [...main.querySelectorAll<HTMLElement>(".st-key-step [role=radio]")]
  const chosen = options.findIndex(({ ariaChecked }) => ariaChecked === "true")
  const components = [...main.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
  const inside = components.flatMap(({ shadowRoot }) => [
    ...(shadowRoot?.querySelectorAll<HTMLElement>(".slider:not([hidden]) button") ?? []),
  ])
  const button = main.querySelector<HTMLElement>(by < 0 ? ".st-key-step_back button" : ".st-key-step_forward button")
  const control = button ?? options[chosen + by] ?? (options.length ? null : inside[by < 0 ? 0 : 1]) ?? null
  return control && "disabled" in control && control.disabled ? null : control
}

/** Waits until the page is drawn. */
async function drawn(): Promise<void> {
  const from = performance.now()
  do await new Promise((later) => setTimeout(later, 100))
  while (appElement() && isRunning() && performance.now() - from < MOST)
}
