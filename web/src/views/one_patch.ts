/**
 * The selected patch of a picture: its pixels, its colour planes, its vector and its embedding, or its position in the
 * sequence. It is cut out of the picture here.
 */

import { ChoosingView, type Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import { unpack, type Bytes } from "../core/payload"
import style from "./one_patch.css"
import type { Patches } from "./one_patch/patches"
import type { Payload } from "./one_patch/payload"
import { PatchSequence } from "./one_patch/sequence"
import { PatchSteps } from "./one_patch/steps"

class OnePatch extends ChoosingView<Bytes, Payload> {
  private vectors: Float32Array = new Float32Array()
  private length = 0 // of a vector
  private patches: Patches | undefined
  private shown: PatchSteps | PatchSequence | undefined
  private drawn = ""

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".one-patch")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const [header, arrays] = unpack<Payload>(bytes)
    const [height = 0, width = 0] = arrays.shape("pixels")
    this.vectors = arrays.floats("embeddings")
    this.length = arrays.shape("embeddings")[1] ?? 0
    this.patches = { pixels: arrays.bytes("pixels"), width, size: height / header.grid[0], columns: header.grid[1] }
    this.payload = header
    this.fit([header.shows, header.grid, height, width, this.length, header.words], header.theme)
    if (this.shown instanceof PatchSequence) this.shown.paint(this.patches)
    this.drawn = ""
    this.take(header)
  }

  protected override build(): void {
    const { root, payload, patches } = this
    if (!payload || !patches) return
    root.replaceChildren()
    this.shown = payload.shows === "steps" ? new PatchSteps(root, payload, patches.size, this.length) : new PatchSequence(root, payload)
  }

  protected arrange(chosen: Chosen): void {
    const { shown, patches } = this
    if (!patches) return
    const place = (Number(chosen.row) - 1) * patches.columns + Number(chosen.column) - 1 // row by row
    const drawn = String(place)
    if (this.drawn === drawn) return
    this.drawn = drawn
    if (shown instanceof PatchSteps) {
      const { length } = this
      shown.draw(patches, place, this.vectors.subarray(place * length, (place + 1) * length), chosen)
    } else shown?.select(place)
    this.root.dataset.drawn = drawn
  }
}

export default mounting(OnePatch, style)
