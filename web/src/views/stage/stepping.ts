/** The place of a decoding step, which is held; what a user looks at meanwhile, and which step they choose. */

import { arrowStep } from "../../core/dom"
import type { StageFigure } from "./figure"
import type { Attention, FigureEvents } from "./scene"
import { sameFocus, type Focus } from "./reading"

interface SteppingHost {
  readonly figure: Pick<StageFigure, "layout" | "moveTo">
  choose: (step: number) => void // from 1
  refresh: () => void // draws what has the attention
}

export class Stepping implements FigureEvents {
  step = 1
  private key = -1 // of the ribbon that is pointed at
  private pointed: Focus | null = null
  private focused: Focus | null = null

  constructor(private readonly host: SteppingHost) {}

  get place(): Focus {
    return { side: "french", place: this.step - 1 }
  }

  /** The token that is looked at, else the one of the step. */
  get attention(): Attention {
    const focus = this.pointed ?? this.focused ?? this.place
    return { focus, held: sameFocus(focus, this.place), key: this.key, weight: null }
  }

  /** Holds the place of another step. */
  follow(step: number): void {
    if (step === this.step) return
    this.step = step
    this.pointed = this.focused = null
    this.key = -1
  }

  point(focus: Focus | null, key = -1): void {
    if (sameFocus(focus, this.pointed) && key === this.key) return
    this.pointed = focus
    this.key = key
    this.host.refresh()
  }

  /** A French token is one of a step; an English one is looked at until it is pressed again, which a thumb cannot point at. */
  press(focus: Focus): void {
    if (focus.side === "french") return this.go(focus.place + 1)
    this.point(sameFocus(focus, this.pointed) ? null : focus)
  }

  focus(focus: Focus | null): void {
    this.focused = focus
    this.host.refresh()
  }

  /** A ribbon belongs to the step of its French token. */
  grab({ place }: Focus): void {
    this.go(place + 1)
  }

  private go(step: number): void {
    if (step !== this.step) this.host.choose(step)
  }

  /** Arrow keys move along a sentence to look; Enter presses by itself; Escape returns to the step. */
  type(event: KeyboardEvent, focus: Focus): void {
    const { figure } = this.host
    const step = arrowStep(event.key)
    const along = step ? step[figure.layout?.rows ? 1 : 0] : 0
    if (along) figure.moveTo({ ...focus, place: focus.place + along })
    else if (event.key === "Escape" && !this.attention.held) {
      this.focused = null
      this.point(null)
      figure.moveTo(this.place)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}
