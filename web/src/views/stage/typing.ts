/** Live typing on the stage: the sentence box of the home page is translated before its text is entered. */

import { filled } from "../../core/dom"
import { LiveBox, plain } from "../../core/live_box"
import type { Requests } from "../../core/requests"
import type { StageAnswers, StagePayload } from "./payload"

const BOX = ".st-key-text input"
// Of the page, while the box has another sentence than the one that is shown, or than the one that was entered.
const MARKS = ["data-translating", "data-typing"] as const

/** Where typing is shown: `root` is dimmed while it shows another sentence. */
interface TypingPage {
  readonly root: Element
  readonly notice: Element
  readonly signal: AbortSignal // ends it
}

type Shown = Pick<StagePayload, "state" | "sentence" | "entered" | "words" | "limits">

export class LiveTyping extends LiveBox {
  private shown: Shown | undefined
  private refused = ""
  private sent: string | null = null // the text that Enter sent, until the page has it
  private further = false // whether something was typed since

  constructor(
    private readonly page: TypingPage,
    private readonly requests: Requests<{ text: string }>,
  ) {
    super()
    this.watch((input) => input.matches(BOX), page.signal)
    page.signal.addEventListener("abort", () => {
      this.stop()
      for (const mark of MARKS) document.documentElement.removeAttribute(mark)
    })
  }

  protected get waiting(): boolean {
    return this.requests.open !== null
  }

  /** Whether the box has another sentence than the one that is shown. */
  get outdated(): boolean {
    return this.text !== null && plain(this.text) !== plain(this.shown?.sentence ?? "")
  }

  protected get longest(): number {
    return this.shown?.limits.characters ?? 0
  }

  override type(text: string, caret?: number): void {
    this.further = true
    super.type(text, caret)
  }

  protected send(text: string): void {
    this.requests.ask({ text })
  }

  protected refresh(): void {
    const { shown, outdated, page } = this
    if (!shown) return
    page.root.classList.toggle("outdated", outdated)
    const [translating, typing] = MARKS
    document.documentElement.toggleAttribute(translating, outdated)
    document.documentElement.toggleAttribute(typing, outdated || shown.sentence !== shown.entered)
    page.notice.textContent = this.problem(shown)
  }

  private problem({ words, limits }: Shown): string {
    const { text, late, outdated, refused } = this
    const count = text?.length ?? 0
    if (count > limits.characters) return filled(words.tooLong, { count, most: limits.characters })
    return (outdated && refused) || (late ? words.pressEnter : "")
  }

  /** The box sends its text itself; only a sentence that the page has already must be asked for, after that moment. */
  enter(): void {
    const { text } = this
    this.stopWaiting()
    if (text === null) return
    this.asked = ""
    this.further = false
    const entered = plain(text) === plain(this.shown?.entered ?? "")
    this.sent = entered ? null : text
    if (entered) this.wait()
  }

  /** Asks, unless the page is about to take the text. */
  protected override ask(): void {
    if (this.sent === null || this.further) super.ask()
  }

  /** Takes the answer to the newest request. */
  take(answers: StageAnswers | null): void {
    const taken = this.requests.take(answers?.type)
    if (!taken) return
    this.refused = taken.answer.reason ?? ""
    if (taken.answer.status === "outdated") this.asked = "" // the page is another one, whose payload follows
    else this.answered()
    this.refresh()
  }

  /** Follows what is shown: its sentence, and the one that the page has. */
  follow(shown: Shown): void {
    const former = this.shown
    this.shown = shown
    if (shown.state !== former?.state) this.followPage(shown)
    if (shown.sentence !== shown.entered) this.text ??= shown.entered // nothing is typed: a draft came too late
    this.ask() // for the newest text, if it is another one
    this.refresh()
  }

  /** The page took the sentence of the box, or has another one. What was typed since Enter is typed over it. */
  private followPage({ state, entered }: Shown): void {
    const goesOn = this.further && this.sent !== null && plain(this.sent) === plain(entered)
    this.requests.follow(state)
    this.sent = null
    this.asked = this.refused = ""
    this.beInTime()
    if (goesOn) return
    this.text = null
    this.stopWaiting()
  }
}
