/**
 * The history entry of a sentence that is being typed. Its address is that of what is typed last, so that a reload or a copied
 * link has it. Once the sentence is entered, the entry gets the address back that it had, and the sentence an entry of its own.
 */

import { changes, textOf } from "./addresses"

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
