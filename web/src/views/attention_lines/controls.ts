/** The controls of the lines: buttons for heads and layers, the slider for the share, export. */

import { button, element, filled, followDrag, setAttributes } from "../../core/dom"
import type { HeadStyle, LinesSheet, LinesView } from "./payload"
import { strokeAcross } from "./strokes"

type Field = "heads" | "layers"

/** What the controls set. */
export interface LinesSettings {
  readonly view: LinesView
  readonly unsent: AbortController | undefined
  change: (changes: Partial<LinesView>, tell?: boolean) => void
  tellView: () => void
}

/** What the buttons for the drawing do. */
interface DrawingActions {
  tall?: { pressed: boolean; set: (pressed: boolean) => void } // of a long input
  saveSvg: () => void
  savePng: () => void
}

interface Group {
  field: Field
  toggles: readonly HTMLButtonElement[]
  only: HTMLButtonElement
}

export class LinesControls {
  private readonly heads: Group
  private readonly layers: Group
  private readonly massWords: HTMLSpanElement
  private readonly mass: HTMLInputElement

  constructor(
    root: ParentNode,
    private readonly settings: LinesSettings,
    private readonly sheet: LinesSheet,
    actions: DrawingActions,
  ) {
    const { words } = sheet
    const [layers, heads] = sheet.shape
    const holder = element("div", "controls", root)
    this.heads = this.buildGroup(holder, "heads", words.heads, words.head, heads)
    this.layers = this.buildGroup(holder, "layers", words.layers, words.layer, layers)
    const label = element("label", "mass", holder)
    this.massWords = element("span", "", label)
    const mass = (this.mass = element("input", "", label))
    Object.assign(mass, { type: "range", min: 5, max: 100, step: 5 })
    const follow = () => settings.change({ mass: mass.valueAsNumber / 100 })
    followDrag(settings, mass, follow, () => settings.tellView())
    const files = element("div", "files", holder)
    if (actions.tall) buildTall(files, words.tall, actions.tall)
    button(files, words.svg, actions.saveSvg)
    button(files, words.png, actions.savePng)
  }

  private buildGroup(holder: ParentNode, field: Field, title: string, name: string, count: number): Group {
    const { words, numbers } = this.sheet
    const group = element("div", "group", holder)
    setAttributes(group, { role: "group", "aria-label": title })
    element("span", "title", group).textContent = title
    const toggles = placesOf(count).map((place) => {
      const number = field === "layers" ? numbers[place]! : place + 1
      const toggle = button(group, "", () => this.pick(field, place))
      toggle.className = "toggle"
      if (field === "heads") element("canvas", "chip", toggle)
      element("span", "", toggle).textContent = String(number)
      toggle.setAttribute("aria-label", filled(name, { number }))
      return toggle
    })
    const only = button(group, words.single, () => this.single(field, only))
    only.setAttribute("aria-pressed", "false")
    button(group, words.all, () => this.settings.change({ [field]: placesOf(count) }, true))
    button(group, words.none, () => this.settings.change({ [field]: [] }, true))
    return { field, toggles, only }
  }

  private pick(field: Field, place: number): void {
    const one = isPressed(this[field].only)
    this.settings.change({ [field]: one ? [place] : toggled(this.settings.view[field], place) }, true)
  }

  private single(field: Field, only: HTMLButtonElement): void {
    const on = !isPressed(only)
    only.setAttribute("aria-pressed", String(on))
    const selected = this.settings.view[field]
    if (on && selected.length > 1) this.settings.change({ [field]: selected.slice(0, 1) }, true)
  }

  /** Shows what is chosen. */
  follow(view: LinesView, styles: readonly HeadStyle[]): void {
    for (const { field, toggles, only } of [this.heads, this.layers]) {
      toggles.forEach((toggle, place) => toggle.setAttribute("aria-pressed", String(view[field].includes(place))))
      if (view[field].length > 1) only.setAttribute("aria-pressed", "false") // several end "one at a time"
    }
    this.heads.toggles.forEach((toggle, place) => paintChip(toggle.querySelector("canvas")!, styles[place]!))
    const share = Math.round(100 * view.mass)
    this.mass.value = String(share)
    this.massWords.textContent = filled(this.sheet.words.mass, { share })
    this.mass.setAttribute("aria-valuetext", `${share} %`)
  }
}

/** Places in order, with `place` added or taken out. */
export function toggled(places: readonly number[], place: number): number[] {
  const others = places.filter((other) => other !== place)
  return others.length < places.length ? others : [...places, place].sort((one, other) => one - other)
}

function placesOf(count: number): number[] {
  return [...Array(count).keys()]
}

function isPressed(toggle: HTMLButtonElement): boolean {
  return toggle.getAttribute("aria-pressed") === "true"
}

function buildTall(files: ParentNode, text: string, tall: NonNullable<DrawingActions["tall"]>): void {
  const toggle = button(files, text, () => {
    const pressed = !isPressed(toggle)
    toggle.setAttribute("aria-pressed", String(pressed))
    tall.set(pressed)
  })
  toggle.setAttribute("aria-pressed", String(tall.pressed))
}

/** A short stroke of a head's line, with its dashes. */
function paintChip(canvas: HTMLCanvasElement, [colour, dashes]: HeadStyle): void {
  canvas.width = 44
  canvas.height = 12
  strokeAcross(canvas.getContext("2d")!, [0, 6], [44, 8], [colour, dashes.map((length) => 2 * length)])
}
