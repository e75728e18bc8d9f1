// Puts an SVG file's elements into the page, where they can use the page's colours.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".drawing-root")
  if (root.shown === data.svg) return
  const parsed = new DOMParser().parseFromString(data.svg, "image/svg+xml")
  root.replaceChildren(document.importNode(parsed.documentElement, true))
  root.shown = data.svg
}
