/**
 * Views with choices: the browser shows a choice itself and writes it to the address at once; it is sent to the server after
 * a while without another choice.
 */

import { View } from "./component"
import { filled } from "./dom"
import { watchMark } from "./mark"

/** Pause after which a choice is sent. */
export const SEND_AFTER = 500 // milliseconds without another choice

/** The id of the layer and of the head that are averages. */
export const MEAN = "mean"

export type Chosen = Readonly<Record<string, string>>

/** One choice as the server describes it; see views/components/controls.py. */
export interface Control {
  name: string // of the parameter in the address
  label: string
  help?: string
  options: readonly (readonly [id: string, label: string])[]
  first: string // chosen by default
  always?: boolean // in the address even if it is the default
  elsewhere?: boolean // another component renders it
  rare?: boolean // in the panel that opens
  list?: boolean
  range?: boolean
}

/** What every payload of such a view has. */
export interface Choosable {
  controls?: readonly Control[] | null
}

declare global {
  interface WindowEventMap {
    choosing: CustomEvent<Readonly<Record<string, string | null>>>
    acting: CustomEvent<readonly string[]>
  }
}

/** A view of what is chosen in the controls that its payload lists. `arrange` draws what is in `chosen`. */
export abstract class ChoosingView<Data, Payload extends Choosable> extends View<Data> {
  payload: Payload | undefined
  chosen: Chosen | undefined
  protected path = ""
  protected readonly mounted = new AbortController()

  constructor(parent: Element | ShadowRoot, root: string) {
    super(parent, root)
    this.mark = watchMark(this.host, () => this.payload && this.followMark())
    const { signal } = this.mounted
    window.addEventListener("popstate", () => this.followAddress(), { signal })
    window.addEventListener("choosing", ({ detail }) => this.followChoice(detail), { signal })
    window.addEventListener("telling", () => this.recordSent(), { signal })
  }

  /** Draws the choices. */
  protected abstract arrange(chosen: Chosen): void

  /** Shows a new payload with the current choices. */
  protected take(payload: Payload): void {
    this.payload = payload
    this.path = location.pathname
    this.choose(this.completed(payload, this.chosen ?? (this.readMark() as Chosen | null) ?? {}))
  }

  /** Payload and choices may arrive one after the other: missing or invalid choices become the control's first option. */
  protected completed(payload: Payload, chosen: Chosen): Chosen {
    const lacking = controlsOf(payload).filter(({ name, options }) => !options.some(([id]) => id === chosen[name]))
    if (!lacking.length) return chosen
    return this.restricted({ ...chosen, ...Object.fromEntries(lacking.map(({ name, first }) => [name, first])) })
  }

  /** Restricts choices to what can be shown; overridden by subclasses. */
  protected restricted(chosen: Chosen): Chosen {
    return chosen
  }

  protected override showChosen(chosen: unknown): void {
    if (this.payload) this.choose(this.completed(this.payload, chosen as Chosen))
  }

  private choose(chosen: Chosen): void {
    this.chosen = chosen
    this.arrange(chosen)
  }

  /** Applies choices here and to the address at once; they are sent to the server after a pause. */
  set(changes: Chosen): void {
    const before = this.chosen ?? {}
    const chosen = this.restricted({ ...before, ...changes })
    this.choose(chosen)
    const changed = controlsOf(this.payload).filter(({ name }) => chosen[name] !== before[name])
    const values = changed.map(({ name, first, always }) => [name, chosen[name] === first && !always ? null : chosen[name]])
    window.dispatchEvent(new CustomEvent("choosing", { detail: Object.fromEntries(values) as Record<string, string | null> }))
    this.tell("chosen", this.selection(), this.pause())
  }

  /** What is sent to the server and comes back as the page's mark. */
  protected selection(): unknown {
    return this.chosen
  }

  /** Whether only the server has the data of the choice. */
  protected waits(): boolean {
    return false
  }

  /** Milliseconds without another choice after which it is sent. */
  protected pause(): number {
    return this.waits() ? 0 : SEND_AFTER
  }

  /** Applies choices of another component of the page; null stands for the default. */
  private followChoice(detail: Readonly<Record<string, string | null>>): void {
    const known = controlsOf(this.payload).filter(({ name }) => name in detail)
    const changes = known.map(({ name, first }): [string, string] => [name, detail[name] ?? first])
    if (changes.every(([name, value]) => this.chosen?.[name] === value)) return
    const chosen = this.restricted({ ...this.chosen, ...Object.fromEntries(changes) })
    this.choose(chosen)
    const pending = this.unsent?.signal.aborted === false // another choice of this view
    if (pending) this.tell("chosen", this.selection(), SEND_AFTER)
  }

  /** Another component sent the choices; the server's answer is no change here either. */
  private recordSent(): void {
    const text = JSON.stringify(this.selection())
    if (!this.payload?.controls || this.sent.at(-1) === text) return
    this.unanswered.delete("chosen")
    this.sent.push(text)
  }

  /** After Back or Forward the address decides; choices that were not sent yet belong to the previous view. */
  private followAddress(): void {
    const address = new URLSearchParams(location.search)
    const controls = this.payload?.controls
    if (!controls || location.pathname !== this.path || !address.has("text")) return
    this.unsent?.abort()
    this.forgetSent()
    const values = controls.map(({ name, options, first }) => {
      const value = address.getAll(name).at(-1)
      return [name, options.some(([id]) => id === value) ? value : first]
    })
    this.choose(this.restricted(Object.fromEntries(values) as Chosen))
  }

  override leave(): void {
    super.leave()
    this.mounted.abort()
  }
}

function controlsOf(payload: Choosable | undefined): readonly Control[] {
  return payload?.controls ?? []
}

/** Texts for a layer and a head. */
export interface PlaceWords {
  one: string
  overHeads: string
  overLayers: string
  overAll: string
}

/** Layer and head in words. */
export function placeInWords(words: PlaceWords, layer: string, head: string): string {
  if (layer === MEAN && head === MEAN) return words.overAll
  if (head === MEAN) return filled(words.overHeads, { layer })
  return layer === MEAN ? filled(words.overLayers, { head }) : filled(words.one, { layer, head })
}

/** Announces a user action in a component: the address in which these parameters have other values is an entry of the history. */
export function announceAction(parameters: readonly string[]): void {
  window.dispatchEvent(new CustomEvent("acting", { detail: parameters }))
}
