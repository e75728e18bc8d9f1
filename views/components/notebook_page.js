// Mounts the components of a page in a notebook's frame, follows the notebook's theme and sets the frame's height, in
// place of the app.

{ // a scope of its own
  const ignore = () => {}
  const mounts = [...document.querySelectorAll("section")].map((section) => {
    const shadow = section.querySelector(".view").attachShadow({ mode: "open" })
    shadow.append(document.getElementById("component").content.cloneNode(true))
    const text = atob(section.querySelector(".payload").textContent)
    const data = Uint8Array.from(text, (character) => character.charCodeAt(0))
    return () => mountComponent({ data, parentElement: shadow, setTriggerValue: ignore, setStateValue: ignore })
  })

  // The frame element of this page; null without a frame, or if the notebook denies access to it.
  const frame = (() => {
    try {
      return window.frameElement
    } catch {
      return null
    }
  })()

  const themeOfCode = (body) => body.dataset.vscodeThemeKind ?? body.className.match(/\bvscode-(light|dark|high-contrast(-light)?)\b/)?.[0]

  // "light" or "dark" by Jupyter, VS Code or Colab; empty for the browser's own theme.
  const notebookTheme = () => {
    const outside = frame?.ownerDocument
    if (!outside?.body) return ""
    const { body, documentElement } = outside
    const jupyter = body.dataset.jpThemeLight ?? outside.querySelector("[data-jp-theme-light]")?.dataset.jpThemeLight
    if (jupyter) return jupyter === "false" ? "dark" : "light"
    const code = themeOfCode(body)
    if (code) return /dark|^vscode-high-contrast$/.test(code) ? "dark" : "light"
    return documentElement.getAttribute("theme") ?? "" // Colab
  }

  // JupyterLab hides everything while it changes its theme, and elements without a size cannot be drawn.
  const drawOnceVisible = () => requestAnimationFrame(() => (innerWidth ? mounts.forEach((mount) => mount()) : drawOnceVisible()))

  const show = () => {
    const theme = notebookTheme()
    document.documentElement.dataset.theme = theme
    document.documentElement.style.colorScheme = theme || "light dark"
    drawOnceVisible()
  }

  show()
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show)
  if (frame) {
    const outside = frame.ownerDocument
    const names = ["data-jp-theme-light", "data-vscode-theme-kind", "class", "theme"]
    const watched = { attributes: true, attributeFilter: names }
    for (const element of [outside.documentElement, outside.body]) new MutationObserver(show).observe(element, watched)
    // VS Code saves only links that are clicked in its own document.
    document.addEventListener("click", (event) => {
      const link = event.composedPath().find((element) => element.download)
      if (!link || !themeOfCode(outside.body)) return
      event.preventDefault()
      const same = outside.body.appendChild(outside.createElement("a"))
      Object.assign(same, { href: link.href, download: link.download, hidden: true })
      same.click()
      same.remove()
    })
  }

  // Without access to the frame, send the height to the script next to it.
  const main = document.querySelector("main")
  const fit = () => {
    const height = Math.ceil(main.getBoundingClientRect().height)
    if (frame) frame.style.height = `${height}px`
    else parent.postMessage({ attentionHeight: height }, "*")
  }
  if (parent !== window) new ResizeObserver(fit).observe(main)
}
