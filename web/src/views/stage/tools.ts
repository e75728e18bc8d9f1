/** The buttons below the figure: play, how the next token is chosen, undo and reset, the link and the whole screen. */

import { arrowStep, button, element, keyHandler, setAttributes } from "../../core/dom"
import { known } from "../../core/numbers"
import { Former } from "./former"
import { CopyLink } from "./link"
import type { StagePayload, Words } from "./payload"
import { SPEEDS, type Playback } from "./play"

interface ToolEvents {
  undo: () => void
  reset: () => void
  fillScreen: () => void
  leave: () => void // called where the button with the keyboard's focus disappears
}

const TEMPERATURES = { min: 0.1, max: 3, step: 0.1 }

export class StageTools {
  private readonly root: HTMLDivElement
  private readonly steps: HTMLSpanElement
  private readonly toggle: HTMLButtonElement
  private readonly back: HTMLButtonElement
  private readonly on: HTMLButtonElement
  private readonly speed: HTMLLabelElement
  private readonly sample: HTMLButtonElement
  private readonly temperature: HTMLLabelElement
  private readonly greedy: HTMLButtonElement
  private readonly undo: HTMLButtonElement
  private readonly reset: HTMLButtonElement
  private readonly link: CopyLink
  private readonly screen: HTMLButtonElement
  private readonly former = new Former()
  private payload: StagePayload | undefined

  /** `sheet`: where a small screen has the buttons that play, next to the candidates. */
  constructor(
    parent: ParentNode,
    private readonly sheet: Element,
    private readonly playback: Playback,
    private readonly events: ToolEvents,
  ) {
    const tools = (this.root = element("div", "tools", parent))
    this.steps = element("span", "slider steps", tools) // whose first two buttons the arrow keys press when presenting
    this.back = button(this.steps, "\u2190", () => playback.step(-1))
    this.on = button(this.steps, "\u2192", () => playback.step(1))
    this.toggle = button(this.steps, "", () => playback.toggle())
    this.steps.onkeydown = keyHandler((event) => {
      const by = arrowStep(event.key)?.[1]
      if (!by) return
      event.stopPropagation() // when presenting, the page would press a button as well
      playback.step(by < 0 ? -1 : 1)
    })
    this.speed = slider(tools, { min: SPEEDS.least, max: SPEEDS.most, step: 0.25 }, (value) => playback.setSpeed(value))
    inputOf(this.speed).valueAsNumber = 1
    this.sample = button(tools, "", () => this.draw())
    this.temperature = slider(tools, TEMPERATURES, (value) => this.nameTemperature(value))
    inputOf(this.temperature).onchange = () => this.go({ temperature: inputOf(this.temperature).value })
    this.greedy = button(tools, "", () => this.go({ method: "greedy" }))
    this.undo = button(tools, "", events.undo)
    this.reset = button(tools, "", events.reset)
    this.link = new CopyLink(tools)
    this.screen = button(tools, "", events.fillScreen)
    this.screen.hidden = !document.fullscreenEnabled // some telephones have none
  }

  /** Places the buttons that play in the sheet of a small screen, or in front of the others. */
  arrange(phone: boolean): void {
    if (phone && this.steps.parentNode !== this.sheet) this.sheet.append(this.steps)
    else if (!phone && this.steps.parentNode !== this.root) this.root.prepend(this.steps)
  }

  show(payload: StagePayload, wholeScreen: boolean): void {
    if (!this.former.changed(payload, wholeScreen, this.playback.playing, this.playback.done)) return
    const { words, decoding, pulled } = payload
    this.showPlay(words)
    setAttributes(this.screen, { "aria-pressed": wholeScreen })
    if (payload === this.payload) return // a slider may be held
    this.payload = payload
    this.undo.textContent = words.undo
    this.reset.textContent = words.reset
    this.link.show(words)
    this.screen.textContent = words.fullScreen
    const focused = [this.undo, this.reset, this.greedy].find((each) => each.matches(":focus"))
    this.undo.hidden = this.reset.hidden = !pulled
    const sampling = decoding.method === "sampling"
    this.temperature.hidden = this.greedy.hidden = !sampling
    if (focused?.hidden) this.events.leave()
    this.sample.textContent = sampling ? words.drawAgain : words.drawSample
    this.greedy.textContent = words.greedyAgain
    inputOf(this.temperature).valueAsNumber = decoding.temperature
    this.nameTemperature(decoding.temperature)
  }

  private nameTemperature(temperature: number): void {
    name(this.temperature, `${this.payload?.words.temperature ?? ""} ${known(temperature, 1)}`)
  }

  private showPlay(words: Words): void {
    const { playing, done } = this.playback
    this.toggle.textContent = playing ? words.pause : words.play
    setAttributes(this.back, { "aria-label": words.back, title: words.back })
    setAttributes(this.on, { "aria-label": words.on, title: words.on })
    const focused = this.back.matches(":focus")
    this.back.disabled = done === 0
    if (focused && this.back.disabled) this.on.focus()
    name(this.speed, words.speed)
  }

  /** Another sample: the first has the seed of the page, each further one the next seed. */
  private draw(): void {
    const { method = "", seed = 0 } = this.payload?.decoding ?? {}
    this.go(method === "sampling" ? { seed: String(seed + 1) } : { method: "sampling" })
  }

  /** Another way to choose the tokens: the address of the page has it, which a run of the page follows. */
  private go(changes: Readonly<Record<string, string>>): void {
    this.playback.end()
    const address = new URL(location.href)
    address.searchParams.delete("pull") // of the former translation
    for (const [parameter, value] of Object.entries(changes)) address.searchParams.set(parameter, value)
    history.pushState(null, "", address)
    window.dispatchEvent(new PopStateEvent("popstate", { state: null }))
  }
}

function slider(parent: ParentNode, range: object, change: (value: number) => void): HTMLLabelElement {
  const label = element("label", "range", parent)
  element("span", "", label)
  const input = Object.assign(element("input", "", label), { type: "range", ...range })
  input.oninput = () => change(input.valueAsNumber)
  return label
}

function name(label: HTMLLabelElement, text: string): void {
  label.firstElementChild!.textContent = text
}

function inputOf(label: HTMLLabelElement): HTMLInputElement {
  return label.querySelector("input")!
}
