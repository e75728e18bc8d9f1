/** The stage of a network at steps of its training: a slider goes through them, and the browser plays them. */

import type { Chosen } from "../core/choosing"
import { mounting } from "../core/component"
import { filled } from "../core/dom"
import { threeDigits } from "../core/numbers"
import type { Bytes } from "../core/payload"
import { Holding } from "./stage/focusing"
import { kindIn, type KindName, type MapChoice, type StagePayload } from "./stage/payload"
import type { HeadNote } from "./stage/rail"
import { describeToken, type Focus } from "./stage/reading"
import styles from "./stage/styles"
import { STEP, Training, TrainingSteps, TrainingTexts } from "./stage/training"
import trainingStyle from "./stage/training.css"
import { StageView } from "./stage/view"

class FormationStage extends StageView {
  protected readonly focusing = new Holding({
    figure: this.figure,
    refresh: () => this.showAttention(),
    announce: (focus) => this.announceToken(focus),
  })
  private readonly steps = new TrainingSteps(this.root, {
    play: (index) => this.playStep(index),
    choose: (index) => this.chooseStep(index),
  })
  private readonly texts = new TrainingTexts(this.main)
  private training: Training | undefined
  private at = 0 // index of the drawn step

  constructor(parent: Element | ShadowRoot) {
    super(parent, { layer: "formed_layer", head: "formed_head" }, false)
    this.root.prepend(this.root.querySelector(".training")!)
  }

  override leave(): void {
    this.steps.stop()
    super.leave()
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const before = this.payload
    this.steps.stop()
    this.training = new Training(bytes)
    const payload = this.training.payload(0)
    if (before && JSON.stringify([before.english, before.french]) !== JSON.stringify([payload.english, payload.french])) {
      this.focusing.free()
    }
    this.take(payload)
  }

  /** Draws the step that plays, or the chosen one. */
  protected override arrange(chosen: Chosen): void {
    const { training } = this
    if (!training) return
    if (!this.steps.playing) this.at = training.indexOf(chosen[STEP])
    this.payload = training.payload(this.at)
    super.arrange(chosen)
    this.steps.show(training, this.at)
    const kind = kindIn(chosen)
    const choice = this.choiceOf(kind)
    this.texts.show(training, this.at, training.noteOf(this.at, kind, choice), this.averaged(this.payload))
    this.texts.mark(this.focusing.attention.focus)
    this.root.dataset.step = String(training.steps[this.at]!.step)
  }

  private playStep(index: number): void {
    this.at = index
    if (this.chosen) this.arrange(this.chosen)
  }

  private chooseStep(index: number): void {
    const step = this.training?.steps[index]
    if (!step) return
    this.set({ [STEP]: String(step.step) })
    this.announceStep()
  }

  protected override noteOf(kind: KindName, choice: MapChoice): HeadNote | null {
    return this.training?.noteOf(this.at, kind, choice) ?? null
  }

  protected get looked(): Focus | null {
    return this.focusing.held
  }

  protected showAttention(): void {
    const { payload, focusing } = this
    if (!payload) return
    const { attention } = focusing
    this.figure.show(attention)
    this.candidates.show(payload, placeOf(attention.focus, payload))
    this.texts.mark(attention.focus)
  }

  private announceToken(focus: Focus | null): void {
    const scene = this.scene()
    if (!scene) return
    const { words } = scene.payload
    const token = focus && describeToken(scene.payload, scene.kind, scene.maps[scene.kind], focus)
    this.live.textContent = token ? filled(words.held, { token }) : words.freed
  }

  private announceStep(): void {
    const { training, at } = this
    if (!training) return
    const { words, names } = training
    const step = filled(words.stepIs, { step: names[at]!, last: names.at(-1)! })
    const translation = training.steps[at]!.text || words.nothing
    this.live.textContent = filled(words.spoken, { step, mean: threeDigits(training.mean(at)), translation })
  }
}

function placeOf(focus: Focus | null, { french }: StagePayload): number | null {
  return focus?.side === "french" && focus.place < french.length ? focus.place : null
}

export default mounting(FormationStage, styles + trainingStyle)
