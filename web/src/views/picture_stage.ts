/**
 * A Vision Transformer on the stage: the picture, ribbons from its patches to CLS in every layer, and the class that is read
 * from CLS there. Layers are looked at by pointing and by keys, without a request, and chosen by pressing.
 */

import { MEAN, type Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import controlsStyle from "../core/controls.css"
import { element, filled } from "../core/dom"
import { percent, threeDigits } from "../core/numbers"
import { buildTable, Fold } from "../core/table"
import pictureStyle from "./patch_picture.css"
import { patchName, type Patch } from "./patch_picture/maps"
import type { Panel } from "./patch_picture/panel"
import { PatchPictureView } from "./patch_picture/view"
import style from "./picture_stage.css"
import { Flow } from "./picture_stage/flow"
import { readIn, rowIn, type PictureStagePayload } from "./picture_stage/payload"
import { strongest } from "./picture_stage/shares"

const PHONE = 620 // pixels; on a narrower page the layers are below the picture
const NARROW = 960 // pixels; on a narrower page the controls are below the layers

class PictureStage extends PatchPictureView<PictureStagePayload> {
  private flow: Flow | undefined
  private table: Fold | undefined
  private looked: string | null = null // the layer
  private patch = -1 // that is pointed at

  constructor(parent: Element | ShadowRoot) {
    super(parent)
    this.resized = new ResizeObserver(() => this.drawFlow())
    this.resized.observe(this.root)
  }

  protected override layoutOf(payload: PictureStagePayload): readonly unknown[] {
    return [...super.layoutOf(payload), payload.names, payload.classes, payload.read, payload.words]
  }

  protected override build(): void {
    super.build()
    const { payload, root, built } = this
    if (!payload || !built) return
    root.classList.add("staged")
    const field = element("div", "field")
    root.prepend(field)
    field.append(built.panels[0]!.root.parentElement!)
    this.flow = new Flow(field, built.panels[0]!.root.querySelector<HTMLElement>(".frame")!, payload, {
      look: (layer) => this.look(layer),
      choose: (layer) => this.set({ layer }),
    })
    const { note, noteRead, table } = payload.words
    const explained = element("p", "explained", root.querySelector(".aside"))
    explained.textContent = [note, ...(payload.read.length ? [noteRead] : [])].join(" ")
    this.table = new Fold(root, (holder) => this.fillTable(holder))
    this.table.title.textContent = table
    this.looked = null
    this.patch = -1
  }

  /** Draws the layer that is looked at, else the chosen one; the controls show the chosen one. */
  protected override arrange(chosen: Chosen): void {
    super.arrange({ ...chosen, layer: this.looked ?? chosen.layer ?? "" })
    this.built?.choices.show(chosen)
    this.drawFlow()
    this.table?.follow()
  }

  override set(changes: Chosen): void {
    if ("layer" in changes) this.looked = null
    super.set(changes)
  }

  private look(layer: string | null): void {
    if (layer === this.looked || !this.chosen) return
    this.looked = layer
    this.arrange(this.chosen)
  }

  override hover(event: PointerEvent, panel: Panel, at: Patch): void {
    super.hover(event, panel, at)
    this.pointAt(at[0] * (this.payload?.grid[1] ?? 0) + at[1])
  }

  override unhover(): void {
    super.unhover()
    this.pointAt(-1)
  }

  private pointAt(patch: number): void {
    if (patch === this.patch) return
    this.patch = patch
    this.drawFlow()
  }

  private drawFlow(): void {
    const { payload, chosen, flow, theme, root } = this
    if (!payload || !chosen || !flow || !theme) return
    root.style.setProperty("--across", `${root.clientWidth}px`)
    root.classList.toggle("phone", root.clientWidth < PHONE)
    root.classList.toggle("narrow", root.clientWidth < NARROW)
    const scale = payload.scales[theme]
    const at = (share: number) => scale[Math.round(share * (scale.length - 1))]!
    root.style.setProperty("--vision", at(0.56))
    root.style.setProperty("--vision-ink", at(0.82))
    const { layer = "", head = "", kept = "0" } = chosen
    flow.draw({ payload, layer: this.looked ?? layer, head, kept: Number(kept) / 100, patch: this.patch })
  }

  /** A row for each layer: what those read who do not see the ribbons. */
  private fillTable(holder: HTMLElement): void {
    const { payload, chosen } = this
    if (!payload || !chosen) return
    const { words, names, grid, read } = payload
    const titles = [words.layers, words.own, words.allPatches, words.strongestPatch, words.itsWeight]
    if (read.length) titles.push(words.readAs, words.probability)
    const rows = names[0].map((layer, index) => {
      const row = rowIn(payload, index, chosen.head ?? "")
      const [best = 0] = strongest(row.subarray(1), 1)
      const place = patchName(words, [Math.floor(best / grid[1]), best % grid[1]])
      const numbers = [row[0]!, 1 - row[0]!].map(threeDigits)
      const [name, probability] = readIn(payload, index) ?? ["", null]
      const answer = read.length ? [name, probability === null ? "" : percent(probability)] : []
      const title = layer === MEAN ? words.mean : filled(words.layer, { layer })
      return [title, ...numbers, place, threeDigits(row[1 + best]!), ...answer] as const
    })
    buildTable(holder, titles.map((title) => [title] as const), rows)
  }
}

export default mounting(PictureStage, controlsStyle + pictureStyle + style)
