/**
 * Lines from query tokens to the key tokens that they attend to, one colour per head. Pointer and keys are handled here
 * from the payload; the server only receives the selected layers, heads, share and token.
 */

import { ChoosingView, type Chosen } from "../core/choosing"
import { canvasColour } from "../core/colour"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import type { Bytes } from "../core/payload"
import style from "./attention_lines.css"
import { LinesFigure, type Colours } from "./attention_lines/figure"
import { type LinesPayload, type LinesView, Weights, decodeLines, sheetOf } from "./attention_lines/payload"
import { fitting, ReadOut } from "./attention_lines/readout"

const STILL = 200 // milliseconds without another change before the view is sent to the server

class AttentionLines extends ChoosingView<Bytes, LinesPayload> {
  view: LinesView = { layers: [0], heads: [0], mass: 0.7, locked: null }
  private readOut: ReadOut | undefined
  private figure: LinesFigure | undefined
  private choices: Choices | undefined
  private arrangement = ""

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".lines-root")
    this.resized = new ResizeObserver(() => this.figure?.followWidth())
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const payload = (this.payload = decodeLines(bytes))
    const [news, before] = [this.readMark(), JSON.stringify(this.readOut?.names)]
    if (news) this.chosen = this.takeView(news)
    this.arrangement = ""
    this.take(payload)
    // A token that was locked in another sentence is unlocked.
    if (!news && this.view.locked && before !== JSON.stringify(this.readOut?.names)) this.change({ locked: null }, true)
  }

  /** Takes the view out of the page's mark, which is the view alone, or all choices; returns the other choices. */
  private takeView(mark: unknown): Chosen {
    if (!this.payload?.controls) {
      this.view = mark as LinesView
      return {}
    }
    const { view, ...chosen } = mark as { view?: LinesView }
    this.view = view ?? this.view
    return chosen
  }

  protected override showChosen(mark: unknown): void {
    super.showChosen(this.takeView(mark))
  }

  protected override selection(): unknown {
    return this.payload?.controls ? { ...this.chosen, view: this.view } : this.view
  }

  /** Other tokens are shown, so none is locked. */
  override set(changes: Chosen): void {
    this.view = { ...this.view, locked: null }
    super.set(changes)
  }

  /** Draws the selection; the tokens and weights only if they changed. */
  protected arrange(chosen: Chosen): void {
    const { payload } = this
    if (!payload) return
    const arrangement = JSON.stringify([chosen.kind, chosen.units, chosen.marks, chosen.pair])
    if (arrangement !== this.arrangement) this.open(payload, chosen)
    this.arrangement = arrangement
    if (payload.controls) {
      this.choices?.fit({ ...payload, controls: payload.controls })
      this.choices?.show(chosen)
    }
    this.change({})
  }

  private open(payload: LinesPayload, chosen: Chosen): void {
    const sheet = sheetOf(payload, chosen)
    const weights = new Weights(sheet)
    this.readOut = new ReadOut(sheet, weights, fitting(this.view, weights))
    this.fit([sheet.shape, sheet.numbers, sheet.queryAxis, sheet.keyAxis, sheet.words], sheet.theme)
    this.figure?.open(this.readOut, this.colours(payload))
    this.root.dataset.drawn = `${sheet.title}: ${sheet.queries.join(" ")} / ${sheet.keys.join(" ")}`
  }

  protected override build(): void {
    const { payload, readOut } = this
    if (!payload || !readOut) return
    if (payload.controls) this.choices ??= new Choices(this)
    for (const built of [...this.root.children]) if (built !== this.choices?.root) built.remove()
    this.figure = new LinesFigure(this.root, this, readOut, this.colours(payload), this.figure?.tall ?? false)
    this.resized?.disconnect()
    this.resized?.observe(this.figure.middle)
  }

  private colours({ styles, theme }: LinesPayload): Colours {
    return {
      styles: styles[this.theme ?? theme],
      background: canvasColour(this.host, "--st-background-color", "#ffffff"),
    }
  }

  /** Applies every change; `changes` has the changed fields. */
  change(changes: Partial<LinesView>, tell = false): void {
    if (!this.readOut) return
    const { sheet, weights } = this.readOut
    this.view = fitting({ ...this.view, ...changes }, weights)
    weights.setShare(this.view.mass)
    this.readOut = new ReadOut(sheet, weights, this.view)
    this.figure?.show(this.readOut, "locked" in changes && Object.keys(changes).length === 1)
    if (tell) this.tellView()
  }

  tellView(): void {
    this.tell(this.payload?.controls ? "chosen" : "view", this.selection(), STILL)
  }
}

export default mounting(AttentionLines, controlsStyle + style)
