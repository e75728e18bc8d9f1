/** The tokens of one side of the lines: a list box with the weights next to its tokens. */

import { clamp, threeDigits } from "../../core/numbers"
import { element, keyHandler, markData, setAttributes, type DataKind } from "../../core/dom"
import { NEAR } from "./geometry"
import type { Side, Token } from "./payload"
import type { ReadOut } from "./readout"

/** What a user does with the tokens of a side. */
interface TokenEvents {
  point: (token: Token | null, event?: PointerEvent) => void
  press: (token: Token) => void
  type: (event: KeyboardEvent, token: Token) => void
  focus: (token: Token | null, shown: HTMLElement | null) => void
}

interface Item {
  token: HTMLDivElement
  label: HTMLSpanElement
  weight: HTMLSpanElement
}

export class TokenList {
  private readonly list: HTMLDivElement
  private readonly items: readonly Item[]
  private row = 0 // pixels per token

  constructor(
    field: ParentNode,
    private readonly side: Side,
    readonly count: number,
    events: TokenEvents,
  ) {
    const list = (this.list = element("div", `side ${side}`, field))
    list.setAttribute("role", "listbox")
    this.items = Array.from({ length: count }, (_, place) => buildItem(list, place === 0))
    const pointed = ({ clientY }: MouseEvent) => {
      return this.at(clamp(Math.floor((clientY - list.getBoundingClientRect().top) / this.row), count))
    }
    list.onpointermove = (event) => events.point(pointed(event), event)
    list.onpointerleave = () => events.point(null)
    list.onclick = (event) => events.press(pointed(event))
    list.onkeydown = keyHandler((event) => events.type(event, this.at(this.placeOf(event))))
    list.addEventListener("focusin", (event) => {
      const place = this.placeOf(event)
      this.items.forEach(({ token }, other) => (token.tabIndex = other === place ? 0 : -1))
      events.focus(this.at(place), this.items[place]!.token)
    })
    list.addEventListener("focusout", () => events.focus(null, null))
  }

  private at(place: number): Token {
    return { side: this.side, place }
  }

  private placeOf({ target }: Event): number {
    return this.items.findIndex(({ token }) => token === target)
  }

  /** Focuses a token, the nearest one if there is none at `place`. */
  focus(place: number): void {
    this.items[clamp(place, this.count)]!.token.focus()
  }

  /** Writes the labels of the list and of its tokens. */
  name(axis: string, names: readonly string[], kind: DataKind): void {
    this.list.setAttribute("aria-label", axis)
    this.items.forEach(({ label }, place) => (markData(label, kind).textContent = names[place]!))
  }

  /** Marks the token in focus, or writes the weights between it and each token here; `row`: pixels per token. */
  show(readOut: ReadOut, focus: Token | null, row: number): void {
    const { sheet, maps, view } = readOut
    this.row = row
    const roomy = row >= NEAR
    const across = focus && focus.side !== this.side ? readOut.weightsOf(focus) : []
    const read = focus && across.length && !roomy ? readOut.readable(focus, Math.ceil(NEAR / row)) : null
    const step = Math.max(1, Math.ceil(NEAR / row))
    const mask = roomy ? sheet.words.masked : "" // in compressed rows its faint label suffices
    this.items.forEach(({ token, weight }, place) => {
      const own = focus?.side === this.side && focus.place === place
      const near = focus?.side === this.side && Math.abs(focus.place - place) < step
      const named = own || roomy || (read ? read.has(place) : place % step === 0 && !near)
      const item = across[place]
      const text = item && named && maps.length ? (item.masked ? mask : threeDigits(item.mean)) : ""
      const names = `token${own ? " own" : ""}${named ? "" : " unnamed"}${item?.masked ? " masked" : ""}`
      if (token.className !== names) token.className = names
      if (weight.textContent !== text) weight.textContent = text
      const selected = String(own && Boolean(view.locked))
      if (token.getAttribute("aria-selected") !== selected) token.setAttribute("aria-selected", selected)
    })
  }
}

function buildItem(list: ParentNode, first: boolean): Item {
  const token = element("div", "token", list)
  setAttributes(token, { role: "option", tabindex: first ? 0 : -1 })
  return { token, label: element("span", "label", token), weight: element("span", "weight", token) }
}
