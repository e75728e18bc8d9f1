/** What two addresses mean: a user action, a change of settings, or one that comes too early. */

const ACTIONS = ["text", "picture"] // parameters whose change is a user action

/** Values by the name of their parameter; null stands for a default, which is not in the address. */
export type Choices = Readonly<Record<string, string | null>>

/** The value of a parameter, the last one if there are several. */
function valueOf(url: URL, name: string): string | undefined {
  return url.searchParams.getAll(name).at(-1)
}

/** The sentence in an address. */
export function textOf(url: URL | Location): string | undefined {
  return new URLSearchParams(url.search).getAll("text").at(-1)
}

/** Whether a parameter that is in both addresses has another value. */
export function changes(names: readonly string[], from: URL, to: URL): boolean {
  return names.some((name) => {
    const [before, after] = [valueOf(from, name), valueOf(to, name)]
    return before !== undefined && after !== undefined && before !== after
  })
}

/** Whether a parameter has another value, or is in one of the addresses alone. */
export function differs(names: readonly string[], from: URL, to: URL): boolean {
  return names.some((name) => valueOf(from, name) !== valueOf(to, name))
}

/** Whether the way from one address to another makes an entry in the history. */
export function isUserAction(from: URL, to: URL): boolean {
  return from.pathname !== to.pathname || changes(ACTIONS, from, to)
}

const OPENING = ["layer", "head"] // a page that opens with a head names both, a user's choice is written one by one

/**
 * Whether an address that is written while a page is being left belongs to the target page. Streamlit may write the target
 * page's parameters before it opens that page: only shared ones, under the path of the page that is left, whose own
 * parameters would be lost from its entry, or with the head that the target page opens with.
 */
export function isEarly(from: URL, to: URL, shared: readonly string[]): boolean {
  if (from.pathname !== to.pathname) return false
  const own = [...from.searchParams.keys()].filter((name) => !shared.includes(name))
  const opensHead = OPENING.every((name) => to.searchParams.has(name) && !from.searchParams.has(name))
  return opensHead || (own.length > 0 && !own.some((name) => to.searchParams.has(name)))
}

/** An address with other choices. */
export function withChoices(address: string, choices: Choices): URL {
  const to = new URL(address)
  for (const [name, chosen] of Object.entries(choices)) {
    if (chosen === null) to.searchParams.delete(name)
    else to.searchParams.set(name, chosen)
  }
  return to
}

/** Whether an address has these choices. */
export function hasChoices(url: URL, choices: Choices): boolean {
  return Object.entries(choices).every(([name, chosen]) => valueOf(url, name) === (chosen ?? undefined))
}

/** The shared parameters of a query. */
export function sharedQuery(query: string, shared: readonly string[]): URLSearchParams {
  return new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => shared.includes(name)))
}
