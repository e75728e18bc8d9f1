/** The stage of a decoding step: the place of the step is held, later tokens are faint, and pressing a token chooses its step. */

import { mounting } from "../core/component"
import type { Chosen } from "../core/choosing"
import { element, filled } from "../core/dom"
import type { Bytes } from "../core/payload"
import { Former, decodeStage } from "./stage/payload"
import { describeToken, type Focus } from "./stage/reading"
import { Stepping } from "./stage/play"
import styles from "./stage/styles"
import { StageView } from "./stage/view"

const SEND_AFTER = 200 // milliseconds without another step, then the page follows

class DecodingStage extends StageView {
  protected readonly focusing = new Stepping({
    figure: this.figure,
    choose: (step) => this.set({ step: String(step) }),
    refresh: () => this.showAttention(),
  })
  private readonly note = element("p", "note", element("div", "texts", this.main))
  private readonly announced = new Former()
  private text = "" // that was announced last

  constructor(parent: Element | ShadowRoot) {
    super(parent, { layer: "cross_layer", head: "cross_head" })
  }

  show(bytes: Bytes): void {
    if (this.isNew(bytes)) this.take(decodeStage(bytes))
  }

  protected override pause(): number {
    return SEND_AFTER
  }

  protected override arrange(chosen: Chosen): void {
    this.focusing.follow(Number(chosen.step))
    super.arrange(chosen)
  }

  protected get looked(): Focus | null {
    return this.focusing.place
  }

  protected showAttention(): void {
    const { payload, figure, focusing } = this
    if (!payload) return
    this.followHeld(this.looked)
    const { focus } = focusing.attention
    figure.dimAfter(focusing.step - 1)
    figure.show(focusing.attention)
    this.candidates.show(payload, focus?.side === "french" ? focus.place : null)
    const heads = this.averaged(payload)
    const { note, meanOfHeads } = payload.words
    this.note.textContent = [note, ...(heads > 1 ? [filled(meanOfHeads, { heads })] : [])].join(" ")
    this.announce()
  }

  /** Announces the token of another step, chosen here or by the page's slider. */
  private announce(): void {
    const scene = this.scene()
    const { step } = this.focusing
    if (!scene || !this.announced.changed(scene.payload, step)) return
    const place = { side: "french", place: step - 1 } as const
    const token = describeToken(scene.payload, scene.kind, scene.maps[scene.kind], place)
    const text = filled(scene.payload.words.held, { token })
    if (this.text && text !== this.text) this.live.textContent = text // not when the page is opened
    this.text = text
  }
}

export default mounting(DecodingStage, styles)
