/** A graph of edges over the layers of a network, of which the strongest are drawn. See views/components/path_graph.py. */

import { ChoosingView, type Choosable, type Chosen, type Control } from "../core/choosing"
import type { Theme } from "../core/colour"
import { mounting } from "../core/component"
import { Choices } from "../core/controls"
import controlsStyle from "../core/controls.css"
import { element, filled, keyHandler, markData, setAttributes, svgElement, measureTextScale, type DataKind } from "../core/dom"
import { unpack, type Bytes } from "../core/payload"
import { Tip } from "../core/tooltip"
import style from "./path_graph.css"
import { curve, layOut, shownEdges, strongest, thickness, type Edge, type Node, type Place } from "./path_graph/layout"

interface Header extends Choosable {
  columns: readonly string[]
  nodes: readonly (Node & { name: string; said: DataKind })[]
  edges: readonly (Edge & { input: string; written: string })[]
  cut: readonly string[]
  count: string // names of the choices
  least: string
  controls: readonly Control[]
  unit: string
  hues: Readonly<Record<string, string>>
  signs: readonly [negative: string, positive: string]
  theme: Theme
  words: Readonly<Record<"edge" | "input" | "cut" | "graph", string>> & { options?: string }
}

type ShownEdge = Header["edges"][number]

class PathGraph extends ChoosingView<Bytes, Header> {
  private built: { choices: Choices; scroll: HTMLElement; tip: Tip } | undefined
  private drawn = ""

  constructor(parent: Element | ShadowRoot) {
    super(parent, ".path-graph")
  }

  show(bytes: Bytes): void {
    if (!this.isNew(bytes)) return
    const [header] = unpack<Header>(bytes)
    this.drawn = ""
    this.fit([], header.theme)
    this.take(header)
  }

  protected override build(): void {
    this.root.replaceChildren()
    const choices = new Choices(this)
    const scroll = element("div", "graph", this.root)
    this.built = { choices, scroll, tip: new Tip(this.root, "pair", "value") }
  }

  /** Draws the strongest edges, as many and as strong as chosen, and those that are cut. */
  protected arrange(chosen: Chosen): void {
    const { payload, built } = this
    if (!payload || !built) return
    built.choices.fit(payload)
    built.choices.show(chosen)
    const [count, least] = [Number(chosen[payload.count]), Number(chosen[payload.least])]
    if (this.drawn === `${count} ${least}`) return
    this.drawn = `${count} ${least}`
    const focused = this.root.querySelector<SVGElement>(".edge:focus")?.dataset.edge
    built.scroll.replaceChildren()
    built.tip.hide()
    const edges = shownEdges(payload.edges, payload.cut, count, least)
    const room = built.scroll.clientWidth / measureTextScale() || Infinity
    const { width, height, places } = layOut(payload.nodes, edges, payload.columns.length, room)
    const label = filled(payload.words.graph, { count: edges.length })
    const size = { viewBox: `0 0 ${width} ${height}`, width: `${width / 16}rem`, height: `${height / 16}rem` }
    const svg = svgElement("svg", { ...size, role: "group", "aria-label": label }, built.scroll)
    payload.columns.forEach((title, column) => {
      const x = places.columns[column]
      if (x === undefined) return
      const text = svgElement("text", { x, y: 14, class: "column" }, svg)
      text.textContent = title
    })
    const top = strongest(payload.edges)
    for (const edge of [...edges].reverse()) this.drawEdge(svg, payload, edge, places.nodes, top)
    for (const node of payload.nodes) {
      const place = places.nodes.get(node.id)
      if (place) drawNode(svg, node, place, payload.hues[node.kind]!)
    }
    if (focused) this.root.querySelector<SVGElement>(`[data-edge="${CSS.escape(focused)}"]`)?.focus()
    this.root.dataset.drawn = `${edges.length} ${payload.cut.join(" ")}`
  }

  private drawEdge(svg: SVGElement, payload: Header, edge: ShownEdge, nodes: ReadonlyMap<string, Place>, top: number): void {
    const [from, to] = [nodes.get(edge.sender), nodes.get(edge.receiver)]
    if (!from || !to) return
    const isCut = payload.cut.includes(edge.id)
    const path = svgElement("g", { class: isCut ? "edge cut" : "edge", tabindex: 0, role: "button" }, svg)
    path.dataset.edge = edge.id
    const name = this.nameOf(payload, edge)
    const value = `${edge.written} ${payload.unit}${isCut ? `, ${payload.words.cut}` : ""}`
    setAttributes(path, { "aria-label": `${name}: ${value}`, "aria-pressed": isCut })
    const shape = curve(from, to, edge.input)
    const stroke = payload.signs[edge.value < 0 ? 0 : 1]
    svgElement("path", { d: shape, class: "line", stroke, "stroke-width": thickness(edge.value, top) }, path)
    svgElement("path", { d: shape, class: "reach" }, path)
    const toggle = () => this.answer("edge", edge.id)
    path.onclick = toggle
    path.onkeydown = keyHandler((event) => {
      if (event.key !== "Enter" && event.key !== " ") return
      event.preventDefault()
      toggle()
    })
    path.onpointermove = ({ clientX, clientY }) => this.built?.tip.show(clientX, clientY, name, value)
    path.onpointerleave = () => this.built?.tip.hide()
  }

  private nameOf({ nodes, words }: Header, edge: ShownEdge): string {
    const label = (id: string) => nodes.find((node) => node.id === id)?.name ?? id
    const values = { sender: label(edge.sender), receiver: label(edge.receiver), input: edge.input }
    return filled(edge.input ? words.input : words.edge, values)
  }
}

function drawNode(svg: SVGElement, { label, said }: Header["nodes"][number], { x, y, width }: Place, hue: string): void {
  const group = svgElement("g", { class: "node" }, svg)
  svgElement("rect", { x: x - width / 2, y: y - 10, width, height: 20, rx: 4, stroke: hue }, group)
  const text = svgElement("text", { x, y: y + 4 }, group)
  text.textContent = label
  markData(text, said)
}

export default mounting(PathGraph, controlsStyle + style)
