/**
 * Sliders and the panels that follow them. Sliders, pointer and keys are handled here from the payload; the server only
 * receives the positions of the sliders, for the address.
 */

import { mounting, View } from "../core/component"
import { element } from "../core/dom"
import { watchMark } from "../core/mark"
import { clamp } from "../core/numbers"
import type { Bytes } from "../core/payload"
import { buildLiveRegion, Tip } from "../core/tooltip"
import mapStyle from "../core/heatmap.css"
import style from "./step_view.css"
import { BarsPanel, FormulaPanel, HeatmapPanel, RibbonPanel, type StepPanel, StepSlider, type SteppedView } from "./step_view/panel"
import { layoutOf, readContent, type Content, type PanelHeader, type Places } from "./step_view/content"
import { CurvesPanel } from "./step_view/curves"

const STILL = 300 // milliseconds without another move before positions are sent

class StepView extends View<Bytes> implements SteppedView {
  places: Readonly<Record<string, number>> = {}
  tip: Tip | undefined
  private content: Content | undefined
  private sliders: StepSlider[] = []
  private panels: StepPanel<PanelHeader>[] = []
  private liveRegion: HTMLElement | undefined
  private speaking: number | undefined // timer of the next announcement
  private width: number | undefined

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".step-view")
    this.mark = watchMark(this.host, () => this.content && this.followMark())
    this.resized = new ResizeObserver(() => this.resize())
  }

  override leave(): void {
    super.leave()
    window.clearTimeout(this.speaking)
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const content = (this.content = readContent(bytes))
    const { axes, panels, theme } = content.header
    if (content.difference !== undefined) this.root.dataset.difference = String(content.difference)
    this.fit(layoutOf(content.header), theme)
    this.panels.forEach((panel, place) => Object.assign(panel, { content, about: panels[place] }))
    const sliders = axes.filter(({ slider }) => slider)
    const places = sliders.map(({ id, count }) => [id, clamp(this.places[id] ?? 0, count)])
    this.places = { ...this.places, ...(Object.fromEntries(places) as Places) }
    for (const panel of this.panels) panel.paint()
    if (!this.followMark()) this.refresh()
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1)
  }

  protected override build(): void {
    const { content } = this
    if (!content) return
    const { axes, panels, words } = content.header
    this.root.replaceChildren()
    const controls = element("div", "controls", this.root)
    this.sliders = axes.filter(({ slider }) => slider).map((axis) => new StepSlider(this, axis, words, controls))
    const field = element("div", "panels", this.root)
    this.panels = panels.map((about) => this.buildPanel(content, about, field))
    this.tip = new Tip(this.root, "read")
    this.liveRegion = buildLiveRegion(this.root)
    this.resized?.disconnect()
    this.resized?.observe(this.root)
  }

  private buildPanel(content: Content, about: PanelHeader, parent: ParentNode): StepPanel<PanelHeader> {
    switch (about.is) {
      case "heatmap":
        return new HeatmapPanel(this, content, about, parent)
      case "ribbon":
        return new RibbonPanel(this, content, about, parent)
      case "curves":
        return new CurvesPanel(this, content, about, parent)
      case "bars":
        return new BarsPanel(this, content, about, parent)
      case "formula":
        return new FormulaPanel(this, content, about, parent)
    }
  }

  private resize(): void {
    if (!this.content || this.root.clientWidth === this.width) return
    this.width = this.root.clientWidth
    for (const panel of this.panels) panel.fit()
    this.refresh()
  }

  protected override showChosen(chosen: unknown): void {
    this.move(chosen as Places)
  }

  /** Applies every move; `places` has the axes that moved. */
  move(places: Places, tell = false): void {
    const known = Object.entries(places).filter(([id]) => id in this.places)
    const moved = known.map(([id, place]) => [id, clamp(place, this.content?.axes[id]?.count ?? 1)])
    this.places = { ...this.places, ...(Object.fromEntries(moved) as Places) }
    this.refresh()
    if (tell) this.tellPlaces()
  }

  tellPlaces(): void {
    window.clearTimeout(this.speaking)
    this.speaking = window.setTimeout(() => this.liveRegion?.replaceChildren(...this.spoken()), STILL)
    this.tell("places", { ...this.places }, STILL)
  }

  private refresh(): void {
    for (const slider of this.sliders) slider.follow()
    for (const panel of this.panels) {
      panel.followTitle()
      panel.follow()
    }
    this.root.dataset.places = JSON.stringify(this.places)
  }

  /** What screen readers announce: the formulas. */
  private spoken(): (Node | string)[] {
    const formulas = this.panels.filter((panel) => panel instanceof FormulaPanel)
    return formulas.flatMap((panel) => [...panel.root.cloneNode(true).childNodes, " "])
  }
}

export default mounting(StepView, mapStyle + style)
