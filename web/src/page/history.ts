/**
 * One history entry per user action. Streamlit makes an entry of every address that the app writes; here only another page,
 * an entered sentence, another picture and an action that a component announces make one, and every other address replaces
 * the one before.
 *
 * The two addresses decide, never the time at which they were written: pages are opened with a bare path and receive their
 * whole address a moment later, and answers may arrive after the user's next action.
 */

import { changes, differs, hasChoices, isEarly, isUserAction, withChoices, type Choices } from "./addresses"
import { DraftEntry } from "./draft_entry"
import type { LeftPage } from "./left_page"

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
