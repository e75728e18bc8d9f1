/** Mounts components in pages that contain them, in place of the app. */

import type { Mounted } from "../core/component"
import type { Bytes } from "../core/payload"

declare const mountComponent: (mounted: Mounted<Bytes>) => () => void // defined by the component's script before this one

const ignore = () => {}

/** Puts a component into the `.view` in `holder`, with the payload next to it. Returns a function that mounts or updates it. */
export function place(holder: ParentNode, component: DocumentFragment): () => () => void {
  const parentElement = holder.querySelector(".view")!.attachShadow({ mode: "open" })
  parentElement.append(component.cloneNode(true))
  const text = atob(holder.querySelector(".payload")!.textContent)
  const data = Uint8Array.from(text, (character) => character.charCodeAt(0))
  return () => mountComponent({ data, parentElement, setTriggerValue: ignore, setStateValue: ignore })
}
