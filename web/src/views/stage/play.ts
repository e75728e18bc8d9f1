/** The translation token by token: the candidates of a place fill, then the chosen one moves into its slot. */

import { arrowStep } from "../../core/dom"
import type { StageFigure } from "./figure"
import { type Focus, clampNumber, sameFocus } from "./reading"
import type { Attention, FigureEvents } from "./scene"

/* The place of a decoding step, which is held; what a user looks at meanwhile, and which step they choose. */

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

export const PACE = 1400 // milliseconds for a token at speed 1
export const SPEEDS = { least: 0.25, most: 4 } as const

interface PlayHost {
  count: () => number // of places
  refresh: () => void
  candidate: () => Element | null // the chosen one
  slot: (place: number) => HTMLElement | null
  follows: () => boolean // whether the page scrolls to the slot
  scrolls: () => boolean // whether the figure does
}

export class Playback {
  /** Tokens that are chosen already, after which the next place is looked at; null: all, and none is looked at. */
  done: number | null = null
  private speed = 1
  private clock: number | undefined

  constructor(private readonly host: PlayHost) {}

  get playing(): boolean {
    return this.clock !== undefined
  }

  setSpeed(speed: number): void {
    this.speed = clampNumber(speed, SPEEDS.least, SPEEDS.most)
    if (this.playing) this.wait()
  }

  /** Starts from the first place or goes on, or pauses. */
  toggle(): void {
    if (this.playing) return this.pause()
    this.done ??= 0
    this.wait()
    this.host.refresh()
  }

  private wait(): void {
    window.clearTimeout(this.clock)
    this.clock = window.setTimeout(() => {
      this.move(1)
      if (this.done !== null) this.wait()
    }, PACE / this.speed)
  }

  private halt(): void {
    window.clearTimeout(this.clock)
    this.clock = undefined
  }

  pause(): void {
    this.halt()
    this.host.refresh()
  }

  /** One token on or back, by hand. */
  step(by: 1 | -1): void {
    this.halt()
    this.move(by)
  }

  /** Shows the whole translation. */
  end(): void {
    if (this.done === null) return
    this.halt()
    this.done = null
    this.host.refresh()
  }

  private move(by: 1 | -1): void {
    const from = this.done
    const candidate = by > 0 && from !== null ? this.host.candidate()?.getBoundingClientRect() : undefined
    this.done = placeAfter(from, by, this.host.count())
    if (this.done === null) this.halt()
    this.host.refresh()
    const next = this.done === null ? null : this.host.slot(this.done)
    if (this.host.follows()) next?.scrollIntoView({ block: "center" })
    else if (this.host.scrolls()) next?.scrollIntoView({ block: "nearest" })
    const slot = from === null ? null : this.host.slot(from)
    if (candidate?.width && slot) fly(slot, candidate)
  }
}

/** The number of chosen tokens one step on or back; null after the last one. The first step on begins, one back undoes the last token. */
export function placeAfter(done: number | null, by: 1 | -1, count: number): number | null {
  if (done === null) return by > 0 ? 0 : count - 1
  const next = Math.max(0, done + by)
  return next < count ? next : null
}

/** Moves an element from a rectangle to its own place; the style sheet has the time. */
function fly(shown: HTMLElement, { left, top }: DOMRect): void {
  const own = shown.getBoundingClientRect()
  shown.style.setProperty("--from-left", `${left - own.left}px`)
  shown.style.setProperty("--from-top", `${top - own.top}px`)
  shown.classList.remove("moving")
  void shown.offsetWidth // starts the animation again
  shown.classList.add("moving")
}
