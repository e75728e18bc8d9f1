/** A token that a user looks at or holds, in a figure without pulls. */

import { arrowStep } from "../../core/dom"
import type { StageFigure } from "./figure"
import { sameFocus, type Focus } from "./reading"
import type { Attention, FigureEvents } from "./scene"

interface HoldingHost {
  readonly figure: Pick<StageFigure, "layout" | "moveTo">
  refresh: () => void // draws what has the attention
  announce: (held: Focus | null) => void
}

export class Holding implements FigureEvents {
  held: Focus | null = null
  private pointed: Focus | null = null
  private focused: Focus | null = null

  constructor(private readonly host: HoldingHost) {}

  get attention(): Attention {
    return { focus: this.held ?? this.focused ?? this.pointed, held: Boolean(this.held), key: -1, weight: null }
  }

  /** Holds nothing, as for another sentence. */
  free(): void {
    this.held = this.pointed = null
  }

  point(focus: Focus | null): void {
    if (sameFocus(focus, this.pointed)) return
    this.pointed = focus
    this.host.refresh()
  }

  press(focus: Focus): void {
    this.hold(sameFocus(focus, this.held) ? null : focus)
  }

  focus(focus: Focus | null): void {
    this.focused = focus
    this.host.refresh()
  }

  grab(focus: Focus): void {
    this.hold(focus)
  }

  private hold(focus: Focus | null): void {
    this.held = focus
    if (!focus) this.pointed = null
    this.host.refresh()
    this.host.announce(focus)
  }

  /** Arrow keys move along a sentence, Escape frees the token that is held; Enter presses it by itself. */
  type(event: KeyboardEvent, focus: Focus): void {
    const { figure } = this.host
    const step = arrowStep(event.key)
    const along = step ? step[figure.layout?.rows ? 1 : 0] : 0
    if (event.key === "Escape" && this.held) this.hold(null)
    else if (along) {
      this.held = null
      figure.moveTo({ ...focus, place: focus.place + along })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}
