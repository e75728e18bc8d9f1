/** The buttons and the slider that go through the steps of training, and play them. */

import { button, element, filled, setAttributes } from "../../core/dom"
import { clamp } from "../../core/numbers"
import type { Training } from "./training"

export const PACE = 1200 // milliseconds for a step while it plays

interface TrainingStepsHost {
  /** Shows a step while it plays: nothing is sent. */
  play: (index: number) => void
  /** Shows a step that the user chose, or at which playing ended. */
  choose: (index: number) => void
}

export class TrainingSteps {
  private readonly back: HTMLButtonElement
  private readonly on: HTMLButtonElement
  private readonly toggle: HTMLButtonElement
  private readonly slider: HTMLInputElement
  private readonly output: HTMLOutputElement
  private training: Training | undefined
  private at = 0
  private clock: number | undefined

  constructor(
    parent: ParentNode,
    private readonly host: TrainingStepsHost,
  ) {
    const root = element("div", "training", parent)
    const steps = element("span", "slider steps", root) // whose first two buttons the arrow keys press when presenting
    this.back = button(steps, "\u2190", () => this.choose(this.at - 1))
    this.on = button(steps, "\u2192", () => this.choose(this.at + 1))
    this.toggle = button(steps, "", () => this.switchPlaying())
    const label = element("label", "range", root)
    this.slider = Object.assign(element("input", "", label), { type: "range", min: "0", step: "1" })
    this.slider.oninput = () => this.choose(this.slider.valueAsNumber)
    this.output = element("output", "", label)
  }

  get playing(): boolean {
    return this.clock !== undefined
  }

  /** Shows which step is drawn. */
  show(training: Training, at: number): void {
    this.training = training
    this.at = at
    const { words, names } = training
    const last = names.length - 1
    this.slider.max = String(last)
    this.slider.valueAsNumber = at
    const text = filled(words.stepIs, { step: names[at]!, last: names[last]! })
    this.output.textContent = text
    setAttributes(this.slider, { "aria-label": words.stepSlider, "aria-valuetext": text })
    setAttributes(this.back, { "aria-label": words.stepBack, title: words.stepBack })
    setAttributes(this.on, { "aria-label": words.stepOn, title: words.stepOn })
    this.back.disabled = at === 0
    this.on.disabled = at === last
    this.toggle.textContent = this.playing ? words.pause : words.play
  }

  private get last(): number {
    return (this.training?.names.length ?? 1) - 1
  }

  private choose(at: number): void {
    this.stop()
    this.host.choose(clamp(at, this.last + 1))
  }

  /** Plays from the drawn step, from the first one if that is the last; or pauses. */
  private switchPlaying(): void {
    if (this.playing) return this.choose(this.at)
    this.clock = window.setInterval(() => this.advance(), PACE)
    this.host.play(this.at === this.last ? 0 : this.at)
  }

  private advance(): void {
    if (this.at + 1 >= this.last) this.choose(this.last)
    else this.host.play(this.at + 1)
  }

  /** Ends playing, where the user left the page or did something else. */
  stop(): void {
    window.clearInterval(this.clock)
    this.clock = undefined
  }
}
