/**
 * A box whose result follows what is typed: at the end of a word, or after a rest. One request is on its way at a time, and
 * the newest text follows it. Where an answer took too long, Enter is needed for a while.
 */

import { keyHandler } from "./dom"

const REST = 500 // milliseconds without a key
const LATE = 400 // milliseconds after which an answer is late
const PAUSE = 10_000 // milliseconds in which only Enter asks, after a late answer

export abstract class LiveBox {
  /** Whether answers are late, so that Enter is needed. */
  late = false
  protected text: string | null = null // in the box; null before anything is typed
  protected asked = "" // the newest text that was asked for
  private composing = false
  private rest: number | undefined
  private patience: number | undefined

  /** Whether a request has no answer yet. */
  protected abstract get waiting(): boolean
  /** Whether the box has another text than the one whose result is shown. */
  protected abstract get outdated(): boolean
  /** Characters of the longest text that is sent. */
  protected abstract get longest(): number
  protected abstract send(text: string): void
  protected abstract refresh(): void
  /** Enter was pressed in the box, or it lost the focus. */
  abstract enter(): void

  /** Follows the inputs that `isBox` selects. */
  protected watch(isBox: (input: HTMLInputElement) => boolean, signal?: AbortSignal): void {
    const box = ({ target }: Event) => (target instanceof HTMLInputElement && isBox(target) ? target : null)
    const onInput = (event: Event) => {
      const input = box(event)
      if (!input) return
      this.composing = event instanceof InputEvent && event.isComposing
      if (this.composing) this.stopWaiting()
      else this.type(input.value, input.selectionStart ?? undefined)
    }
    const onLeave = (event: Event) => box(event) && this.enter()
    const onKey = keyHandler((event) => event.key === "Enter" && event.isTrusted && onLeave(event))
    window.addEventListener("input", onInput, { signal, capture: true })
    window.addEventListener("compositionend", onInput, { signal, capture: true })
    window.addEventListener("keydown", onKey, { signal, capture: true })
    window.addEventListener("focusout", onLeave, { signal, capture: true })
  }

  /** Another text in the box; `caret`: the place behind which the next letter goes. */
  type(text: string, caret?: number): void {
    this.text = text
    this.wait(endsWord(text, caret) ? 0 : REST)
    this.refresh()
  }

  /** Asks after a pause, unless more is typed. */
  protected wait(milliseconds = REST): void {
    this.stopWaiting()
    this.rest = window.setTimeout(() => {
      this.rest = undefined
      this.ask()
    }, milliseconds)
  }

  protected stopWaiting(): void {
    window.clearTimeout(this.rest)
    this.rest = undefined
  }

  /** Whether it waits for the end of a word or a rest. */
  protected get resting(): boolean {
    return this.rest !== undefined
  }

  /** Asks for the text, unless a word is being typed: then the end of the word asks, or a rest. */
  protected ask(): void {
    const { text } = this
    if (text === null || !plain(text) || text.length > this.longest || text === this.asked || !this.outdated) return
    if (this.resting || this.composing || this.late || this.waiting) return // follows the end of a word, or the answer
    this.asked = text
    this.send(text)
    window.clearTimeout(this.patience)
    this.patience = window.setTimeout(() => this.pause(), LATE)
  }

  /** Goes on after the answer to the newest request. */
  protected answered(): void {
    this.beInTime()
    if (this.text !== this.asked) this.ask()
  }

  /** The newest request has its answer, or is dropped. */
  protected beInTime(): void {
    if (!this.late) window.clearTimeout(this.patience)
  }

  /** The answer is late: only Enter asks for a while, and as long as there is no answer. */
  private pause(): void {
    this.late = true
    this.refresh()
    this.patience = window.setTimeout(() => {
      if (this.waiting) return this.pause()
      this.late = false
      this.ask()
      this.refresh()
    }, PAUSE)
  }

  protected stop(): void {
    this.stopWaiting()
    window.clearTimeout(this.patience)
  }
}

/** Whether a text ends with a complete word before the caret, and no part of one follows it. */
export function endsWord(text: string, caret = text.length): boolean {
  return /[\p{L}\p{N}]["')\u2019]?[\s.,;:!?\u2026]+$/u.test(text.slice(0, caret)) && !/^[\p{L}\p{N}]/u.test(text.slice(caret))
}

/** A text without spaces that do not count. */
export function plain(text: string): string {
  return text.trim().replace(/\s+/g, " ")
}
