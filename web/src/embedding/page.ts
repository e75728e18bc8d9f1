/**
 * The components of a saved page, or of a page in a notebook's frame, which follows the notebook's theme and sets the frame's
 * height.
 */

import { place } from "./mount"

const THEMES = ["data-jp-theme-light", "data-vscode-theme-kind", "data-theme", "class", "theme"] // attributes that notebooks change

const main = document.querySelector("main")!
const inNotebook = main.classList.contains("in-notebook")
const component = document.querySelector<HTMLTemplateElement>("#component")!.content
const mounts = [...document.querySelectorAll("section")].map((section) => place(section, component))

/** The frame element of a page; null without a frame, or if the notebook denies access to it. */
function frameOf(page: Window): HTMLElement | null {
  try {
    return page.frameElement as HTMLElement | null
  } catch {
    return null
  }
}

const frame = inNotebook ? frameOf(window) : null
/** The documents around this page, the nearest first: marimo puts an output into a frame of its own. */
const around: Document[] = []
for (let next = frame; next; next = frameOf(next.ownerDocument.defaultView!)) around.push(next.ownerDocument)

function themeOfCode(body: HTMLElement): string | undefined {
  return body.dataset.vscodeThemeKind ?? /\bvscode-(light|dark|high-contrast(-light)?)\b/.exec(body.className)?.[0]
}

/** "light" or "dark" by Jupyter, VS Code, marimo or Colab; empty for the browser's own theme. */
function themeOf(outside: Document): string {
  const { body, documentElement } = outside
  const themed = outside.querySelector<HTMLElement>("[data-jp-theme-light]")
  const jupyter = body.dataset.jpThemeLight ?? themed?.dataset.jpThemeLight
  if (jupyter) return jupyter === "false" ? "dark" : "light"
  const code = themeOfCode(body)
  if (code) return /dark|^vscode-high-contrast$/.test(code) ? "dark" : "light"
  const other = body.dataset.theme ?? documentElement.getAttribute("theme") ?? "" // marimo; Colab
  return /^(light|dark)$/.test(other) ? other : ""
}

const notebookTheme = (): string => around.map(themeOf).find((theme) => theme) ?? ""

/** JupyterLab hides everything while it changes its theme, and elements without a size cannot be drawn. */
function drawOnceVisible(): void {
  requestAnimationFrame(() => {
    if (!innerWidth) return drawOnceVisible()
    for (const mount of mounts) mount()
  })
}

function show(): void {
  const theme = notebookTheme()
  document.documentElement.dataset.theme = theme
  document.documentElement.style.colorScheme = theme || "light dark"
  drawOnceVisible()
}

/** Follows the themes of the documents around the frame. */
function followThemes(): void {
  for (const element of around.flatMap(({ documentElement, body }) => [documentElement, body])) {
    new MutationObserver(show).observe(element, { attributes: true, attributeFilter: THEMES })
  }
}

/** Lets VS Code save files: it saves only links that are clicked in its own document. */
function saveInCode(outside: Document): void {
  document.addEventListener("click", (event) => {
    const link = event.composedPath().find((element) => element instanceof HTMLAnchorElement && element.download)
    if (!(link instanceof HTMLAnchorElement) || !themeOfCode(outside.body)) return
    event.preventDefault()
    const same = outside.body.appendChild(outside.createElement("a"))
    Object.assign(same, { href: link.href, download: link.download, hidden: true })
    same.click()
    same.remove()
  })
}

/** Without access to the frame, the height is sent to the script next to it: see frame.ts. */
function fit(): void {
  const height = Math.ceil(main.getBoundingClientRect().height)
  if (frame?.dataset.fixedHeight) return
  if (frame) frame.style.height = `${height}px`
  else parent.postMessage({ attentionHeight: height }, "*")
}

show()
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show)
followThemes()
if (frame) saveInCode(frame.ownerDocument)
if (inNotebook && parent !== window) new ResizeObserver(fit).observe(main)
