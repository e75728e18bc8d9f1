/** Live typing on the stage: the sentence box of the home page is translated before its text is entered. */

import { LiveBox, plain } from "../../core/live_box"
import type { Requests } from "../../core/requests"
import type { StagePayload } from "./payload"

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

export class LiveTyping extends LiveBox {
  private shown: Shown | undefined
  private refused = ""

  constructor(
    private readonly page: TypingPage,
    private readonly requests: Requests<{ text: string }>,
  ) {
    super()
    this.watch((input) => input.matches(BOX), page.signal)
    page.signal.addEventListener("abort", () => {
      this.stop()
      document.documentElement.removeAttribute("data-typing")
    })
  }

  protected get waiting(): boolean {
    return this.requests.open !== null
  }

  /** Whether the box has another sentence than the one that is shown. */
  get outdated(): boolean {
    return this.text !== null && plain(this.text) !== plain(this.shown?.sentence ?? "")
  }

  protected send(text: string): void {
    this.requests.ask({ text })
  }

  protected refresh(): void {
    const { shown, outdated, late, page } = this
    if (!shown) return
    page.root.classList.toggle("outdated", outdated)
    document.documentElement.toggleAttribute("data-typing", outdated || shown.sentence !== shown.entered)
    page.notice.textContent = this.refused || (late ? shown.words.pressEnter : "")
  }

  /** The box sends its text itself; only a sentence that the page has already must be asked for, after that moment. */
  enter(): void {
    this.stopWaiting()
    if (this.text !== null && plain(this.text) === plain(this.shown?.entered ?? "")) this.wait()
  }

  /** Takes the answer to the newest request. */
  take(answer: TypingAnswer | null): void {
    if (!answer || !this.requests.settle(answer.typed)) return
    this.refused = answer.refused ?? ""
    this.answered()
    this.refresh()
  }

  /** Follows what is shown: its sentence, and the one that the page has. */
  follow(shown: Shown): void {
    if (shown.entered !== this.shown?.entered) {
      this.requests.drop()
      this.text = null // the page took the sentence of the box, or another one
      this.asked = this.refused = ""
      this.stopWaiting()
      this.beInTime()
    }
    this.shown = shown
    this.refresh()
  }
}
