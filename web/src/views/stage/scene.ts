/** What the figure of the stage draws, and what a user does in it. */

import type { FigurePayload, KindName } from "./payload"
import type { Focus } from "./reading"

/** What a user does in the figure. */
export interface FigureEvents {
  point: (focus: Focus | null, key?: number) => void
  press: (focus: Focus) => void
  type: (event: KeyboardEvent, focus: Focus) => void
  focus: (focus: Focus | null) => void
  grab: (focus: Focus, key: number, event: PointerEvent) => void
}

/** What is drawn: the map of each kind, and which kind was chosen. */
export interface Scene<Payload extends FigurePayload = FigurePayload> {
  readonly payload: Payload
  readonly kind: KindName
  readonly maps: Readonly<Record<KindName, Float32Array>>
}

/** The focus of the figure, whether it is held, and the key that is chosen in its row; -1 for none. */
export interface Attention {
  readonly focus: Focus | null
  readonly held: boolean
  readonly key: number
  readonly weight: number | null // of that key while it is pulled
}
