/** The page's mark next to a component, see `selection_mark` in views/components/component.py. */

/** The mark: what is selected, and the exact numbers of that. It can change without the payload. */
export interface Mark {
  read: () => unknown
  exact: () => string
  answer: () => unknown // to the component's last request
  changes: () => string // in the payload, as base64
  disconnect: () => void
}

/** Reads the mark in the container around `host` and calls `follow` when it changes. */
export function watchMark(host: Element, follow: () => void): Mark {
  const container = host.closest('[class*="-with-mark"]')
  if (!container) return { read: () => null, exact: () => "", answer: () => null, changes: () => "", disconnect: () => {} } // nothing can be selected
  const watching = new MutationObserver(follow)
  watching.observe(container, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["data-chosen", "data-exact", "data-answer", "data-changes"],
  })
  return {
    read: () => {
      const mark = container.querySelector<HTMLElement>("[data-chosen]")
      return mark && (JSON.parse(mark.dataset.chosen!) as unknown)
    },
    exact: () => container.querySelector<HTMLElement>("[data-exact]")?.dataset.exact ?? "",
    answer: () => {
      const answer = container.querySelector<HTMLElement>("[data-answer]")?.dataset.answer
      return answer ? (JSON.parse(answer) as unknown) : null
    },
    changes: () => container.querySelector<HTMLElement>("[data-changes]")?.dataset.changes ?? "",
    disconnect: () => watching.disconnect(),
  }
}
