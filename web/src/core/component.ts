/** The base class of all components, and the function that Streamlit calls. */

import { themeOf, type Theme } from "./colour"
import type { Mark } from "./mark"
import { sameBytes, type Bytes } from "./payload"
import shared from "./shared.css"
import { adoptStyles } from "./styles"

/** What Streamlit passes to a component's function, whenever its data changes. */
export interface Mounted<Data> {
  data: Data
  parentElement: Element | ShadowRoot
  setTriggerValue: (name: string, value: unknown) => void
  setStateValue: (name: string, value: unknown) => void
}

const instances = new WeakMap<object, View<unknown>>() // parent element of a component -> its view

/** The function of a component: creates its view once, then updates it. Returns what ends the view. */
export function mounting<Data>(Shown: new (parent: Element | ShadowRoot) => View<Data>, style: string) {
  return ({ data, parentElement, setTriggerValue, setStateValue }: Mounted<Data>): (() => void) => {
    let view = instances.get(parentElement) as View<Data> | undefined
    if (!view) {
      adoptStyles(parentElement, [shared, style])
      view = new Shown(parentElement)
      instances.set(parentElement, view)
    }
    const shown = view
    shown.answer = (name, value) => {
      window.dispatchEvent(new Event("telling"))
      setTriggerValue(name, value)
      for (const [other, again] of shown.unanswered) if (other !== name) setTriggerValue(other, again)
    }
    shown.reportTheme = (theme) => setStateValue("theme", theme)
    shown.show(data)
    markShown(shown.host)
    window.dispatchEvent(new CustomEvent("shown", { detail: shown.root }))
    return () => {
      // Streamlit also ends an update that a later one overtook, before or after it shows that one: the view goes on.
      if (shown.host.isConnected) return
      instances.delete(parentElement)
      shown.leave()
    }
  }
}

/** Marks a component's element in the page as drawn, for `page/opening.ts`. */
export function markShown(host: Element): void {
  host.toggleAttribute("data-shown", true)
}

/** Shows data in the page's theme. */
export abstract class View<Data> {
  readonly host: Element
  readonly root: HTMLElement
  theme: Theme | undefined
  unsent: AbortController | undefined // of a choice that waits to be sent
  readonly unanswered = new Map<string, unknown>() // messages that are sent again with every other one
  protected mark: Mark | undefined
  protected resized: ResizeObserver | undefined
  protected sent: string[] = [] // choices that were sent and that the server has not repeated yet
  private told = "" // the name of the message with a choice
  private bytes: Bytes = new Uint8Array()
  private layout = ""
  private followed: string | undefined

  // set by `mounting`
  answer: (name: string, value: unknown) => void = () => {}
  reportTheme: (theme: Theme) => void = () => {}

  /** `root`: selector of the element that the view fills. */
  constructor(parent: Element | ShadowRoot, root: string) {
    this.host = parent instanceof ShadowRoot ? parent.host : parent
    this.root = parent.querySelector<HTMLElement>(root)!
    // A new view may follow another one in the same place.
    this.root.replaceChildren()
    this.root.classList.add("component")
  }

  abstract show(data: Data): void

  /** Builds the elements for a new layout. */
  protected build(): void {}

  /** Shows what the page's mark selects. */
  protected showChosen(chosen: unknown): void {
    void chosen
  }

  /** Whether payload or theme changed: an update may repeat what is shown already. */
  protected isNew(bytes: Bytes): boolean {
    const theme = themeOf(this.host)
    if (theme === this.theme && sameBytes(bytes, this.bytes)) return false
    this.theme = theme
    this.bytes = bytes
    return true
  }

  /** Rebuilds the elements if the layout changed, and reports the page's theme if it is not `theme`. */
  protected fit(layout: unknown, theme: Theme): void {
    const key = JSON.stringify(layout)
    if (key !== this.layout) this.build()
    this.layout = key
    if (this.theme && this.theme !== theme) this.reportTheme(this.theme)
  }

  /**
   * Sends a choice to the server after `still` milliseconds without another one, or at once if the pointer or the focus
   * leaves the component or a link to another page is pressed. Not when a Streamlit widget is set: at the same moment the
   * browser would merge both into one message, and the server would run only the component's fragment.
   */
  tell(name: string, chosen: unknown, still: number): void {
    this.unsent?.abort()
    const unsent = (this.unsent = new AbortController())
    const { signal } = unsent
    const now = () => {
      unsent.abort()
      const text = JSON.stringify(chosen)
      if (this.sent.at(-1) !== text) this.sent.push(text)
      this.told = name
      this.unanswered.set(name, chosen)
      this.answer(name, chosen)
    }
    const waiting = setTimeout(now, still)
    signal.addEventListener("abort", () => clearTimeout(waiting))
    this.root.addEventListener("pointerleave", now, { signal })
    window.addEventListener("leavingpage", now, { signal })
    const leaves = ({ relatedTarget }: FocusEvent) => this.root.contains(relatedTarget as Node | null) || now()
    this.root.addEventListener("focusout", leaves, { signal })
  }

  /** The page's mark; null if it is no change, such as a choice that was sent from here and comes back. */
  protected readMark(): unknown {
    const chosen = this.mark?.read()
    const text = JSON.stringify(chosen)
    if (!chosen || text === this.followed) return null
    this.followed = text
    const known = this.sent.indexOf(text)
    this.sent.splice(0, known >= 0 ? known + 1 : Infinity)
    if (!this.sent.length) this.forgetSent()
    return known >= 0 ? null : chosen
  }

  /** Ends the wait for the server to repeat a choice. */
  protected forgetSent(): void {
    this.sent = []
    this.unanswered.delete(this.told)
  }

  /** Shows the page's mark if it changed; whether it did. */
  protected followMark(): boolean {
    const chosen = this.readMark()
    if (chosen) this.showChosen(chosen)
    return Boolean(chosen)
  }

  /** Ends the view. */
  leave(): void {
    this.unsent?.abort()
    this.mark?.disconnect()
    this.resized?.disconnect()
  }
}
