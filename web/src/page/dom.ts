/** What the scripts of every page need of Streamlit's page. */

declare global {
  interface Window {
    __streamlit?: { BACKEND_BASE_URL: string }
  }
}

/** The element at an event's target, or around it, that a selector matches; null for none. */
export function closest(target: EventTarget | null | undefined, selector: string): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(selector) : null
}

export function matches(target: EventTarget | null | undefined, selector: string): target is Element {
  return target instanceof Element && target.matches(selector)
}

/** Streamlit's element around the page; null while its scripts are loading. */
export function appElement(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-testid=stApp]")
}

/** Whether the page is running or not there yet. */
export function isRunning(): boolean {
  return appElement()?.dataset.testScriptState !== "notRunning"
}

/** Appends an element to the page's body, which is not there yet when the scripts run. */
export function appendToBody(node: HTMLElement): void {
  addEventListener("DOMContentLoaded", () => document.body.append(node))
}

/** A function that calls `update` in the next frame, once for all calls until then. */
export function oncePerFrame(update: () => void): () => void {
  let waiting = false
  return () => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(() => {
      waiting = false
      update()
    })
  }
}
