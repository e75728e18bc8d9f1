/**
 * Stores the token that stands for this tab's own folder in the tab's sessionStorage, and sends it back after a reload. Another
 * tab or visitor does not have it.
 */

import { markShown, type Mounted } from "../core/component"

const NAME = "models-folder"

interface Data {
  token: string // to store; empty if the tab is asked for its own
  answered: boolean
}

const asked = new WeakSet<Element>()

export default function mountMemory({ data, parentElement, setTriggerValue }: Mounted<Data>): void {
  const root = parentElement.querySelector(".tab-memory-root")
  if (!root) return
  markShown(parentElement instanceof ShadowRoot ? parentElement.host : parentElement)
  const stored = exchange(data.token)
  if (data.token || data.answered || asked.has(root)) return
  asked.add(root)
  setTriggerValue("token", stored)
}

/** Stores a token that is not empty; the stored one. A browser may store nothing, for privacy. */
function exchange(token: string): string {
  try {
    if (token) sessionStorage.setItem(NAME, token)
    return sessionStorage.getItem(NAME) ?? ""
  } catch {
    return ""
  }
}
