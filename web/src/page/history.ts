/**
 * One history entry per user action. Streamlit makes an entry of every address that the app writes; here only another page,
 * an entered sentence, another picture and an action that a component announces make one, and every other address replaces
 * the one before.
 *
 * The two addresses decide, never the time at which they were written: pages are opened with a bare path and receive their
 * whole address a moment later, and answers may arrive after the user's next action.
 */

import { keyHandler } from "../core/dom"
import { closest, oncePerFrame } from "./dom"

/* What two addresses mean: a user action, a change of settings, or one that comes too early. */

const ACTIONS = ["text", "picture"] // parameters whose change is a user action

/** Values by the name of their parameter; null stands for a default, which is not in the address. */
export type Choices = Readonly<Record<string, string | null>>

/** The value of a parameter, the last one if there are several. */
function valueOf(url: URL, name: string): string | undefined {
  return url.searchParams.getAll(name).at(-1)
}

/** The sentence in an address. */
export function textOf(url: URL | Location): string | undefined {
  return new URLSearchParams(url.search).getAll("text").at(-1)
}

/** Whether a parameter that is in both addresses has another value. */
export function changes(names: readonly string[], from: URL, to: URL): boolean {
  return names.some((name) => {
    const [before, after] = [valueOf(from, name), valueOf(to, name)]
    return before !== undefined && after !== undefined && before !== after
  })
}

/** Whether a parameter has another value, or is in one of the addresses alone. */
export function differs(names: readonly string[], from: URL, to: URL): boolean {
  return names.some((name) => valueOf(from, name) !== valueOf(to, name))
}

/** Whether the way from one address to another makes an entry in the history. */
export function isUserAction(from: URL, to: URL): boolean {
  return from.pathname !== to.pathname || changes(ACTIONS, from, to)
}

const OPENING = ["layer", "head"] // a page that opens with a head names both, a user's choice is written one by one

/**
 * Whether an address that is written while a page is being left belongs to the target page. Streamlit may write the target
 * page's parameters before it opens that page: only shared ones, under the path of the page that is left, whose own
 * parameters would be lost from its entry, or with the head that the target page opens with.
 */
export function isEarly(from: URL, to: URL, shared: readonly string[]): boolean {
  if (from.pathname !== to.pathname) return false
  const own = [...from.searchParams.keys()].filter((name) => !shared.includes(name))
  const opensHead = OPENING.every((name) => to.searchParams.has(name) && !from.searchParams.has(name))
  return opensHead || (own.length > 0 && !own.some((name) => to.searchParams.has(name)))
}

/** An address with other choices. */
export function withChoices(address: string, choices: Choices): URL {
  const to = new URL(address)
  for (const [name, chosen] of Object.entries(choices)) {
    if (chosen === null) to.searchParams.delete(name)
    else to.searchParams.set(name, chosen)
  }
  return to
}

/** Whether an address has these choices. */
export function hasChoices(url: URL, choices: Choices): boolean {
  return Object.entries(choices).every(([name, chosen]) => valueOf(url, name) === (chosen ?? undefined))
}

/** The shared parameters of a query. */
export function sharedQuery(query: string, shared: readonly string[]): URLSearchParams {
  return new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => shared.includes(name)))
}

/*
 * The history entry of a sentence that is being typed. Its address is that of what is typed last, so that a reload or a copied
 * link has it. Once the sentence is entered, the entry gets the address back that it had, and the sentence an entry of its own.
 */

declare global {
  interface WindowEventMap {
    typing: CustomEvent<string> // this text was sent while it is typed
    entering: CustomEvent<string> // this text was entered, or its box was left
  }
}

type Write = (state: unknown, title: string, target: string | URL) => void

export class DraftEntry {
  private typed: string | undefined // the text that was sent last, until it is entered
  private former: string | null = null // the address that the entry had

  constructor(
    private readonly push: Write,
    private readonly replace: Write,
  ) {
    window.addEventListener("typing", ({ detail }) => (this.typed = detail))
    window.addEventListener("entering", ({ detail }) => this.enter(detail))
    window.addEventListener("popstate", () => {
      this.typed = undefined
      this.former = null
    })
  }

  /** The entry before the one that `to` makes, or replaces; null if `to` is that of a sentence that is being typed. */
  entryBefore(from: URL, to: URL): URL | null {
    const stays = from.pathname === to.pathname
    if (stays && this.typed !== undefined && textOf(to) === this.typed) {
      this.former ??= from.href
      return null
    }
    if (stays && textOf(to) === textOf(from)) return from // another setting
    this.typed = undefined
    if (stays && this.former !== null) return this.restore(this.former)
    this.makeEntry()
    return from
  }

  private enter(text: string): void {
    if (text !== this.typed) return // its answer is still to come
    this.typed = undefined
    if (textOf(location) === text) this.makeEntry()
  }

  /** Makes an entry of the address that is there. */
  private makeEntry(): void {
    const { former } = this
    const typed = new URL(location.href)
    this.former = null
    if (former === null || !changes(["text"], new URL(former), typed)) return
    this.restore(former)
    this.push(history.state, "", typed)
  }

  private restore(former: string): URL {
    this.former = null
    this.replace(history.state, "", former)
    return new URL(former)
  }
}

/*
 * The page that is being left. It accepts no user actions: Streamlit would request it again until the answer has arrived.
 */

const CONTENT = "[data-testid=stMainBlockContainer] > * > :not(:has(> .st-key-menu)), [data-testid=stSidebarUserContent]"
const MOST = 5000 // milliseconds; the answer may never arrive

export class LeftPage {
  /** Whether a link to another page was pressed, and Streamlit has not opened that page yet. */
  isLeaving = false
  private timer: number | undefined

  constructor() {
    window.addEventListener("popstate", () => this.end())
  }

  begin(link: HTMLAnchorElement): void {
    if (link.pathname === location.pathname) return
    this.isLeaving = true
    setInteractive(false)
    window.clearTimeout(this.timer)
    this.timer = window.setTimeout(() => this.end(), MOST)
  }

  end(): void {
    this.isLeaving = false
    setInteractive(true)
  }
}

function setInteractive(interactive: boolean): void {
  for (const part of document.querySelectorAll<HTMLElement>(CONTENT)) part.inert = !interactive
}

/*
 * Links that wait until pending widget values have been sent. Streamlit sends typed text a moment after its input lost the
 * focus, a slider's value after it stops moving, and a menu link at once, after which values of the old page must not be
 * sent. The app's own components send theirs on "leavingpage", and dispatch "telling" when they pass a value to Streamlit,
 * which sends it a moment later too. Typed text may be pending while the message of a component is sent.
 */

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

/* Follow links of the glossary and of lessons as the menu's links do, without reloading the app. */

export function followInternalLinks(): void {
  document.addEventListener("click", (event) => {
    const link = closest(event.target, ".aa-terms a, nav.lessons a")
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    history.pushState(null, "", link.href)
    dispatchEvent(new PopStateEvent("popstate", { state: null }))
  })
}

/* The menu's links have the shared parameters, for new tabs and copied links; that of the open page is marked. */

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

interface HistorySettings {
  shared: readonly string[] // parameters of all pages
  moved: string // the parameter that marks messages after Back or Forward
  left: LeftPage
  onWritten: () => void // called after an address was written
}

export function writeHistory({ shared, moved, left, onWritten }: HistorySettings): void {
  const push = history.pushState.bind(history)
  const replace = history.replaceState.bind(history)

  // After Back or Forward, the late answer of a page that was left must not become an entry, unless a link is pressed.
  let returned = false
  window.addEventListener("popstate", () => (returned = true))
  const onClick = (event: MouseEvent) => {
    if (event.composedPath().some((node) => node instanceof Element && /^a$/i.test(node.tagName))) returned = false
  }
  document.addEventListener("click", onClick, true)

  const draft = new DraftEntry(push, replace)
  markMoves(moved, replace)
  // While the server has not repeated a choice, it answers an earlier action, and its address has the former value. Once the
  // choice is sent, one such answer may still be on its way.
  let unconfirmed: Choices = {}
  let answers: number | undefined // since it was sent
  window.addEventListener("telling", () => (answers = 0))
  window.addEventListener("popstate", () => (unconfirmed = {}))
  const withUnconfirmed = (written: URL): URL => {
    const confirmed = hasChoices(written, unconfirmed)
    if (answers !== undefined && (confirmed || ++answers > 1)) unconfirmed = {}
    return confirmed || hasChoices(written, unconfirmed) ? written : withChoices(written.href, unconfirmed)
  }

  // Parameters that the user has set in a component by an action; the address that has their new values is an entry.
  let acted: readonly string[] = []
  window.addEventListener("acting", ({ detail }) => (acted = detail))
  window.addEventListener("popstate", () => (acted = []))
  const isAnnounced = (from: URL, to: URL) => {
    const announced = differs(acted, from, to)
    if (announced) acted = []
    return announced
  }

  const isTooEarly = (from: URL, to: URL) => left.isLeaving && isEarly(from, to, shared)

  history.pushState = (state, title, target) => {
    const from = new URL(location.href)
    const written = new URL(target ?? location.href, from)
    if (isTooEarly(from, written)) return
    if (written.pathname !== from.pathname) {
      unconfirmed = {}
      left.end()
    }
    const to = withUnconfirmed(written)
    if (to.href === from.href || (returned && to.pathname !== from.pathname)) return
    const before = draft.entryBefore(from, to)
    const isEntry = before !== null && (isAnnounced(before, to) || isUserAction(before, to))
    const write = isEntry ? push : replace
    write(state, title, to === written ? target : to)
    onWritten()
  }
  // Streamlit replaces while it goes back or forward. Another sentence can then only be the answer to an older action.
  history.replaceState = (state, title, target) => {
    const from = new URL(location.href)
    const to = new URL(target ?? location.href, from)
    if (isTooEarly(from, to) || (from.pathname === to.pathname && changes(["text"], from, to))) return
    replace(state, title, target)
    onWritten()
  }

  // A choice in a component is written to the address at once; the component sends it to the server a moment later.
  window.addEventListener("choosing", ({ detail }) => {
    unconfirmed = { ...unconfirmed, ...detail }
    answers = undefined
    history.replaceState(history.state, "", withChoices(location.href, detail))
  })
}

/**
 * Until the answer to Back or Forward has arrived, the controls keep their old values, while messages contain the new
 * address. The server recognizes these messages by a parameter that is in the address only while Streamlit reads it, and in
 * no history entry.
 */
function markMoves(moved: string, replace: History["replaceState"]): void {
  let steps = 0
  const onPopState = (event: PopStateEvent) => {
    if (!event.isTrusted || location.hash) return
    event.stopImmediatePropagation()
    const address = location.href
    const marked = new URL(address)
    marked.searchParams.set(moved, String(++steps))
    replace(event.state, "", marked)
    window.dispatchEvent(new PopStateEvent("popstate", { state: event.state as unknown }))
    replace(event.state, "", address)
  }
  window.addEventListener("popstate", onPopState, true)
}
