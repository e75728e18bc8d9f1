// Inserts the elements of an SVG file into the page, where they can use the page's colours.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".drawing-root")
  if (root.shown === data.svg) return
  const parsed = new DOMParser().parseFromString(data.svg, "image/svg+xml").documentElement
  root.replaceChildren(document.importNode(parsed, true))
  root.shown = data.svg
  // A drawing wider than the page can be scrolled with the keyboard.
  for (const name of root.getAttributeNames()) if (name !== "class") root.removeAttribute(name)
  const width = parsed.getAttribute("width")
  root.style.setProperty("--drawn", width ? `${width}px` : "100%")
  if (!width) return
  root.tabIndex = 0
  root.setAttribute("role", "region")
  root.setAttribute("aria-label", parsed.getAttribute("aria-label"))
}
