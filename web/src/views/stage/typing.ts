/**
 * Live typing: the sentence box of the page is translated at the end of a word, or after a rest. One request is on its way
 * at a time, and the newest text follows it. Where an answer took too long, Enter is needed for a while.
 */

import type { Requests } from "../../core/requests"
import type { StagePayload } from "./payload"

const REST = 500 // milliseconds without a key
const LATE = 400 // milliseconds after which an answer is late
const PAUSE = 10_000 // milliseconds in which only Enter translates, after a late answer
const BOX = ".st-key-text input"

/** Where typing is shown: `root` is dimmed while it shows another sentence. */
export interface TypingPage {
  readonly root: Element
  readonly notice: Element
  readonly signal: AbortSignal // ends it
}

/** What the server answers about typed text. */
export interface TypingAnswer {
  readonly typed?: number // serial number of the request
  readonly refused?: string // why the text has no translation
}

type Shown = Pick<StagePayload, "sentence" | "entered" | "words">

export class LiveTyping {
  /** Whether answers are late, so that Enter is needed. */
  late = false
  private text: string | null = null // in the box; null before anything is typed
  private shown: Shown | undefined
  private refused = ""
  private asked = ""
  private rest: number | undefined
  private patience: number | undefined

  constructor(
    private readonly page: TypingPage,
    private readonly requests: Requests<{ text: string }>,
  ) {
    this.watch(page.signal)
    page.signal.addEventListener("abort", () => {
      window.clearTimeout(this.rest)
      window.clearTimeout(this.patience)
      document.documentElement.removeAttribute("data-typing")
    })
  }

  /** Whether the box has another sentence than the one that is shown. */
  get outdated(): boolean {
    return this.text !== null && plain(this.text) !== plain(this.shown?.sentence ?? "")
  }

  /** Follows the sentence box of the page. */
  private watch(signal: AbortSignal): void {
    const box = ({ target }: Event) => (target instanceof HTMLInputElement && target.matches(BOX) ? target : null)
    const onInput = (event: Event) => {
      const input = box(event)
      if (input && !(event as InputEvent).isComposing) this.type(input.value)
    }
    const onEnd = (event: Event) => {
      if (box(event) && (!(event instanceof KeyboardEvent) || event.key === "Enter")) this.enter()
    }
    window.addEventListener("input", onInput, { signal, capture: true })
    window.addEventListener("keydown", onEnd, { signal, capture: true })
    window.addEventListener("focusout", onEnd, { signal, capture: true })
  }

  private refresh(): void {
    const { shown, outdated, late, page } = this
    if (!shown) return
    page.root.classList.toggle("outdated", outdated)
    document.documentElement.toggleAttribute("data-typing", outdated || shown.sentence !== shown.entered)
    page.notice.textContent = this.refused || (late ? shown.words.pressEnter : "")
  }

  /** Another text in the box. */
  type(text: string): void {
    this.text = text
    this.wait(endsWord(text) ? 0 : REST)
    this.refresh()
  }

  /** The box sends its text itself; only a sentence that the page has already must be asked for, after that moment. */
  enter(): void {
    window.clearTimeout(this.rest)
    if (this.text !== null && plain(this.text) === plain(this.shown?.entered ?? "")) this.wait(REST)
  }

  private wait(milliseconds: number): void {
    window.clearTimeout(this.rest)
    this.rest = window.setTimeout(() => this.ask(), milliseconds)
  }

  private ask(): void {
    const { text, requests } = this
    if (text === null || !plain(text) || this.late || text === this.asked || !this.outdated) return
    if (requests.open) return // follows the answer
    this.asked = text
    requests.ask({ text })
    window.clearTimeout(this.patience)
    this.patience = window.setTimeout(() => this.pause(), LATE)
  }

  /** Takes the answer to the newest request. */
  take(answer: TypingAnswer | null): void {
    if (!answer || !this.requests.settle(answer.typed)) return
    this.refused = answer.refused ?? ""
    if (!this.late) window.clearTimeout(this.patience)
    if (this.text !== this.asked) this.ask()
    this.refresh()
  }

  /** The answer is late: only Enter translates for a while, and as long as there is no answer. */
  private pause(): void {
    this.late = true
    this.refresh()
    this.patience = window.setTimeout(() => {
      if (this.requests.open) return this.pause()
      this.late = false
      this.ask()
      this.refresh()
    }, PAUSE)
  }

  /** Follows what is shown: its sentence, and the one that the page has. */
  follow(shown: Shown): void {
    if (shown.entered !== this.shown?.entered) {
      this.requests.drop()
      this.text = null // the page took the sentence of the box, or another one
      this.asked = this.refused = ""
      window.clearTimeout(this.rest)
      if (!this.late) window.clearTimeout(this.patience)
    }
    this.shown = shown
    this.refresh()
  }
}

/** Whether a text ends with a complete word. */
export function endsWord(text: string): boolean {
  return /[\p{L}\p{N}]["')\u2019]?[\s.,;:!?\u2026]+$/u.test(text)
}

function plain(text: string): string {
  return text.trim().replace(/\s+/g, " ")
}
