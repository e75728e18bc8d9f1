/**
 * Links that wait until pending widget values have been sent. Streamlit sends typed text a moment after its input lost the
 * focus, a slider's value after it stops moving, and a menu link at once, after which values of the old page must not be
 * sent. The app's own components send theirs on "leavingpage", and dispatch "telling" when they pass a value to Streamlit,
 * which sends it a moment later too. Typed text may be pending while the message of a component is sent.
 */

import { keyHandler } from "../core/dom"
import { closest } from "./dom"
import type { LeftPage } from "./left_page"

const MOMENT = 500 // milliseconds; some inputs have nothing to send
const NO_TEXT = ["radio", "checkbox", "range", "file"]
const SLIDER = "[data-testid=stSlider]"
const LINK = "[data-testid=stPageLink-NavLink]"
const MOVES = /^(Arrow|Page|Home|End)/

type Source = "input" | "slider" | "component"

/** What has a value that Streamlit has not sent yet, first come first sent. */
export class PendingValues {
  private readonly sources = new Set<Source>()
  private timer: number | undefined

  constructor(private readonly onNone: () => void) {}

  get any(): boolean {
    return this.sources.size > 0
  }

  add(source: Source): void {
    this.sources.delete(source)
    this.sources.add(source)
    window.clearTimeout(this.timer)
    this.timer = window.setTimeout(() => {
      this.sources.clear()
      this.onNone()
    }, MOMENT)
  }

  /** A message was sent, with the value that has waited longest. */
  sent(): void {
    for (const source of this.sources) {
      this.sources.delete(source)
      break
    }
    if (!this.any) this.onNone()
  }
}

export function delayLinks(left: LeftPage): void {
  let typed = false // into an input that still has the focus
  let sliding = false // a pointer moves a slider
  let delayed: [link: HTMLElement, event: MouseEvent][] = []
  const leaveInput = () => {
    if (typed) pending.add("input")
    typed = false
  }
  const followDelayed = () => {
    const links = delayed
    delayed = []
    links.forEach(([link, event]) => shownLink(link).dispatchEvent(new MouseEvent("click", event)))
  }
  const pending = new PendingValues(followDelayed)
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the socket
  const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (message) {
    send.call(this, message)
    pending.sent()
  }
  document.addEventListener("input", (event) => (typed ||= isText(event.composedPath()[0])), true)
  document.addEventListener("focusout", leaveInput, true)
  document.addEventListener("keydown", keyHandler(({ key }) => key === "Enter" && leaveInput()), true)
  const onSlide = keyHandler(({ key, target }) => MOVES.test(key) && closest(target, SLIDER) && pending.add("slider"))
  document.addEventListener("keydown", onSlide, true)
  document.addEventListener("pointerdown", ({ target }) => (sliding = closest(target, SLIDER) !== null), true)
  const release = () => {
    if (sliding) pending.add("slider")
    sliding = false
  }
  document.addEventListener("pointerup", release, true)
  window.addEventListener("telling", () => pending.add("component"))
  const onClick = (event: MouseEvent) => {
    const link = closest(event.target, LINK)
    if (!link) return
    if (typed) (document.activeElement as HTMLElement | null)?.blur() // for clicks that do not move the focus
    window.dispatchEvent(new Event("leavingpage"))
    if (!pending.any) {
      if (link instanceof HTMLAnchorElement) left.begin(link)
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()
    delayed.push([link, event])
  }
  window.addEventListener("click", onClick, true)
}

/** The link, or the one that has replaced it on the page while it waited. */
function shownLink(link: HTMLElement): HTMLElement {
  if (link.isConnected || !(link instanceof HTMLAnchorElement)) return link
  const links = [...document.querySelectorAll<HTMLAnchorElement>(LINK)]
  return links.find(({ pathname }) => pathname === link.pathname) ?? link
}

function isText(target: EventTarget | undefined): boolean {
  return !(target instanceof HTMLInputElement && NO_TEXT.includes(target.type))
}
