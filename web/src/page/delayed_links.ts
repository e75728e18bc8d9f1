/**
 * Links that wait until pending widget values have been sent. Streamlit sends typed text a moment after its input lost the
 * focus, a slider's value after it stops moving, and a menu link at once, after which values of the old page must not be
 * sent. The app's own components send theirs on "leavingpage", and dispatch "telling" when they pass a value to Streamlit,
 * which sends it a moment later too.
 */

import { closest } from "./dom"
import type { LeftPage } from "./left_page"

const MOMENT = 500 // milliseconds; some inputs have nothing to send
const NO_TEXT = ["radio", "checkbox", "range", "file"]
const SLIDER = "[data-testid=stSlider]"
const LINK = "[data-testid=stPageLink-NavLink]"
const MOVES = /^(Arrow|Page|Home|End)/

export function delayLinks(left: LeftPage): void {
  let typed = false // into an input that still has the focus
  let sliding = false // a pointer moves a slider
  let delayed: [link: HTMLElement, event: MouseEvent][] | null = null // null if no values are pending
  let timer: number | undefined
  const delay = () => {
    delayed ??= []
    window.clearTimeout(timer)
    timer = window.setTimeout(followDelayed, MOMENT)
  }
  const leaveInput = () => {
    if (typed) delay()
    typed = false
  }
  const followDelayed = () => {
    const links = delayed
    delayed = null
    links?.forEach(([link, event]) => link.dispatchEvent(new MouseEvent("click", event)))
  }
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the socket
  const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (message) {
    send.call(this, message)
    followDelayed()
  }
  document.addEventListener("input", (event) => (typed ||= isText(event.composedPath()[0])), true)
  document.addEventListener("focusout", leaveInput, true)
  document.addEventListener("keydown", ({ key }) => key === "Enter" && leaveInput(), true)
  document.addEventListener("keydown", ({ key, target }) => MOVES.test(key) && closest(target, SLIDER) && delay(), true)
  document.addEventListener("pointerdown", ({ target }) => (sliding = closest(target, SLIDER) !== null), true)
  const release = () => {
    if (sliding) delay()
    sliding = false
  }
  document.addEventListener("pointerup", release, true)
  window.addEventListener("telling", delay)
  const onClick = (event: MouseEvent) => {
    const link = closest(event.target, LINK)
    if (!link) return
    if (typed) (document.activeElement as HTMLElement | null)?.blur() // for clicks that do not move the focus
    window.dispatchEvent(new Event("leavingpage"))
    if (!delayed) {
      if (link instanceof HTMLAnchorElement) left.begin(link)
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()
    delayed.push([link, event])
  }
  window.addEventListener("click", onClick, true)
}

function isText(target: EventTarget | undefined): boolean {
  return !(target instanceof HTMLInputElement && NO_TEXT.includes(target.type))
}
