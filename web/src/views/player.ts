/** Plays the steps of the page, until the last one or until the user does something else. */

import { mounting, View } from "../core/component"
import { button } from "../core/dom"
import style from "./player.css"

const PACE = 3000 // milliseconds per step

interface Data {
  words: { play: string; pause: string }
}

class Player extends View<Data> {
  private readonly button = button(this.root, "", () => (this.playing === undefined ? this.play() : this.stop()))
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)")
  private readonly mounted = new AbortController()
  private playing: number | undefined
  private words: Data["words"] | undefined

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".player-root")
    const listening = { capture: true, signal: this.mounted.signal }
    const interrupt = (event: Event) => {
      if (!event.composedPath().includes(this.root)) this.stop()
    }
    window.addEventListener("pointerdown", interrupt, listening)
    window.addEventListener("keydown", interrupt, listening)
  }

  show(data: Data): void {
    this.words = data.words
    this.root.hidden = this.still.matches
    this.updateLabel()
  }

  private updateLabel(): void {
    if (this.words) this.button.textContent = this.playing === undefined ? this.words.play : this.words.pause
  }

  private play(): void {
    this.playing = window.setInterval(() => this.step(), PACE)
    this.updateLabel()
    this.step()
  }

  private step(): void {
    const detail = { by: 1, slowly: true }
    if (!window.dispatchEvent(new CustomEvent("stepping", { detail, cancelable: true }))) this.stop()
  }

  private stop(): void {
    window.clearInterval(this.playing)
    this.playing = undefined
    this.updateLabel()
  }

  override leave(): void {
    super.leave()
    this.stop()
    this.mounted.abort()
  }
}

export default mounting(Player, style)
