/**
 * A picture with its patches. The map over it has one pixel per patch and is scaled up by the browser, nearest neighbour;
 * a grid of buttons is on top. Selecting a patch redraws here; the selection is sent to the server.
 */

import { linkTokens, PICTURE, type Pointed } from "../../core/brushing"
import { ChoosingView, placeInWords, type Chosen } from "../../core/choosing"
import { lookupTable } from "../../core/colour"
import { Choices } from "../../core/controls"
import { arrowStep, element, filled } from "../../core/dom"
import { clamp } from "../../core/numbers"
import type { Bytes } from "../../core/payload"
import { Tip } from "../../core/tooltip"
import { offerWholeScreen } from "../../core/whole_screen"
import { patchName, type Patch } from "./maps"
import { Panel, type PatchActions } from "./panel"
import { mapAt, mapName, readExact, readPicture, chooseWriter, type Payload } from "./payload"

/** The elements of one layout. */
interface Built {
  choices: Choices
  heading: HTMLHeadingElement
  panels: readonly Panel[]
  tip: Tip
}

export class PatchPictureView<Shown extends Payload = Payload> extends ChoosingView<Bytes, Shown> implements PatchActions {
  protected built: Built | undefined
  private drawn = ""
  private exactText: string | undefined
  private exact: readonly [name: string, numbers: Float32Array] | null = null
  private announce: (...at: Pointed[]) => void = () => {}

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".picture-root")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const payload = readPicture(bytes) as Shown
    const [height, width] = payload.pixels
    this.payload = payload
    this.fit(this.layoutOf(payload), payload.theme)
    for (const panel of this.built?.panels ?? []) panel.paint(payload.picture, [height, width])
    this.drawn = ""
    this.followExact()
    this.take(payload)
  }

  /** What the elements depend on: they are built again where it changes. */
  protected layoutOf({ grid, pixels: [height, width], panels, beside }: Shown): readonly unknown[] {
    return [grid, [height, width], panels, beside]
  }

  /** The page may provide the selected map with every digit, if the payload has rounded numbers. */
  protected override followMark(): boolean {
    const changed = super.followMark()
    if (!this.followExact() || !this.chosen) return changed
    this.drawn = ""
    this.arrange(this.chosen)
    return changed
  }

  /** Reads the exact numbers next to the component; whether they changed. */
  private followExact(): boolean {
    const text = this.mark?.exact() ?? ""
    if (text === this.exactText) return false
    this.exactText = text
    this.exact = readExact(text)
    return true
  }

  /** Draws the selection, unless it is on the screen, or not yet sent by the server. */
  protected arrange(chosen: Chosen): void {
    const { payload, built } = this
    if (!payload || !built || !this.theme) return
    built.choices.fit(payload)
    built.choices.show(chosen)
    const at = payload.names.map((names, axis) => names.indexOf(chosen[payload.along[axis]!] ?? names[0]!))
    const drawn = JSON.stringify(chosen)
    if (at.includes(-1) || this.drawn === drawn) return
    this.drawn = drawn
    const selected: Patch = [Number(chosen.row) - 1, Number(chosen.column) - 1]
    const { heading } = built
    heading.textContent = filled(payload.heading, { map: placeInWords(payload.words, chosen.layer ?? "", chosen.head ?? "") })
    heading.hidden = !payload.heading
    const exact = this.exact?.[0] === mapName(payload, at) ? this.exact[1] : null
    const shared = chosen.scale !== "own" && payload.tops.length > 0
    const drawing = {
      words: payload.words,
      title: heading.textContent || payload.title,
      grid: payload.grid,
      colours: lookupTable(payload.scales[this.theme]),
      weights: exact ?? mapAt(payload, at),
      top: shared ? payload.tops[at[0]!]![at[1]!]! : null,
      opacity: Number(chosen.opacity ?? 100) / 100,
      kept: Number(chosen.kept ?? 0) / 100,
      write: chooseWriter(payload),
      selected,
    }
    for (const panel of built.panels) panel.draw(drawing)
    built.tip.hide() // its weight may have changed
    this.root.dataset.drawn = `${heading.textContent || payload.title}: row ${selected[0] + 1}, column ${selected[1] + 1}`
  }

  /** Whether only the server has the selected maps. */
  protected override waits(): boolean {
    const { names, along } = this.payload ?? { names: [], along: [] }
    return along.some((choice, axis) => {
      const value = this.chosen?.[choice]
      return value !== undefined && !names[axis]!.includes(value)
    })
  }

  protected override build(): void {
    if (!this.payload) return
    const { grid, panels, pixels, beside } = this.payload
    this.root.replaceChildren()
    this.root.classList.toggle("beside", beside)
    const holder = element("div", "panels", this.root)
    const aside = beside ? element("div", "aside", this.root) : undefined
    const choices = new Choices(this)
    const heading = element("h2", "", this.root)
    if (aside) {
      const head = element("div", "head", aside)
      head.append(heading)
      offerWholeScreen(this.root, head)
      aside.append(choices.root)
    } else this.root.append(holder)
    const built = panels.map((panel) => new Panel(holder, panel, grid, pixels, this, aside))
    this.built = { choices, heading, panels: built, tip: new Tip(this.root, "pair", "value") }
    this.announce = linkTokens(holder, (at) => this.markPatch(at.find(([name]) => name === PICTURE)?.[1] ?? -1))
  }

  hover(event: PointerEvent, { over }: Panel, [row, column]: Patch): void {
    if (!this.payload) return
    const { grid, words } = this.payload
    const place = row * grid[1] + column
    const weight = over ? chooseWriter(this.payload)(over[place]!) : ""
    this.built?.tip.show(event.clientX, event.clientY, patchName(words, [row, column]), weight)
    this.markPatch(place)
    this.announce([PICTURE, place])
  }

  unhover(): void {
    this.built?.tip.hide()
    this.markPatch(-1)
    this.announce()
  }

  /** Marks a patch in every panel; -1 for none. */
  private markPatch(place: number): void {
    for (const panel of this.built?.panels ?? []) panel.markPatch(place)
  }

  select([row, column]: Patch): void {
    this.set({ row: String(row + 1), column: String(column + 1) })
  }

  move(event: KeyboardEvent, panel: Panel, [row, column]: Patch): void {
    const step = arrowStep(event.key)
    if (!step || !this.payload) return
    event.preventDefault()
    const [rows, columns] = this.payload.grid
    const next: Patch = [clamp(row + step[0], rows), clamp(column + step[1], columns)]
    this.select(next)
    panel.focus(next)
  }
}
