/**
 * Live typing in the sentence box of every page but the home page, whose stage has its own: what is in the box is sent as
 * Enter sends it, while the focus and the caret stay. The answer is there when the page has written the text to the address.
 */

import { endsWord, LiveBox, plain } from "../core/live_box"
import { textOf } from "./history"
import { appendToBody } from "./dom"

const BOX = ".st-key-text input"
const LONGEST = 1000 // characters: a longer text waits for Enter
const DOUBT = ".st-key-not-english" // notice that a text is not English

export class SentenceTyping extends LiveBox {
  protected readonly longest = LONGEST
  private input: HTMLInputElement | undefined
  private entered = true // what is in the box
  private open: string | null = null // the text that was sent and has no answer yet
  private path = ""
  private sentence: string | undefined // in the address
  private readonly page = document.documentElement
  private readonly status = Object.assign(document.createElement("div"), { className: "late-answers", role: "status" })

  /** `onEnter`: pages whose sentence must be entered; `words`: the sentence that answers are late, by language. */
  constructor(
    private readonly onEnter: readonly string[],
    private readonly words: Readonly<Record<string, string>>,
  ) {
    super()
    this.watch((input) => this.isBox(input))
    window.addEventListener("popstate", () => this.forget())
    appendToBody(this.status)
    this.forget()
  }

  private isBox(input: HTMLInputElement): boolean {
    const isBox = input.matches(BOX) && !this.onEnter.includes(location.pathname.split("/").at(-1)!)
    if (isBox) this.input = input
    return isBox
  }

  protected get waiting(): boolean {
    return this.open !== null
  }

  protected get outdated(): boolean {
    return this.text !== null && plain(this.text) !== plain(textOf(location) ?? "")
  }

  override type(text: string, caret?: number): void {
    this.entered = false
    super.type(text, caret)
  }

  enter(): void {
    if (this.entered) return
    this.entered = true
    this.stopWaiting()
    this.open = this.asked = this.input!.value // Streamlit sends it, if it was not sent yet
    window.dispatchEvent(new CustomEvent("entering", { detail: this.asked }))
    this.follow()
  }

  protected send(text: string): void {
    const { input, page } = this
    this.asked = ""
    if (!input?.isConnected || input.value !== text) return
    this.open = this.asked = text
    // what is doubtful in the middle of a word may not be so at its end
    if (!endsWord(text) && !document.querySelector(DOUBT)) page.toggleAttribute("data-mid-word", true)
    window.dispatchEvent(new CustomEvent("typing", { detail: text }))
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }))
  }

  /** Follows the address. */
  follow(): void {
    if (location.pathname !== this.path) return this.forget()
    const sentence = textOf(location)
    if (sentence === this.open || (this.entered && sentence !== this.sentence)) this.open = null
    this.sentence = sentence
    if (!this.waiting) {
      if (this.entered) this.text = null
      if (this.entered || endsWord(this.asked)) this.page.removeAttribute("data-mid-word")
      this.answered()
    }
    this.refresh()
  }

  protected refresh(): void {
    const { page, late, words } = this
    page.toggleAttribute("data-outdated", this.outdated)
    if (late === page.hasAttribute("data-late")) return
    page.toggleAttribute("data-late", late)
    this.status.textContent = late ? (words[page.lang] ?? "") : ""
    page.style.setProperty("--late", JSON.stringify(this.status.textContent)) // shown below the box, see content.css
  }

  /** Another page, or another address of the history. */
  private forget(): void {
    this.path = location.pathname
    this.sentence = textOf(location)
    this.text = this.open = null
    this.asked = ""
    this.entered = true
    this.stopWaiting()
    this.beInTime()
    this.page.removeAttribute("data-mid-word")
    this.refresh()
  }
}
