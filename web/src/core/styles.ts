/** Style sheets, built once and shared by all components of the page. */

const sheets = new Map<string, CSSStyleSheet>() // text of a style sheet -> the sheet

/** Applies style sheets to the document or the shadow root around `parent`, each once. */
export function adoptStyles(parent: Document | Element | ShadowRoot, styles: readonly string[]): void {
  const root = parent.getRootNode() as Document | ShadowRoot
  const wanted = styles.map((text) => {
    const sheet = sheets.get(text) ?? new CSSStyleSheet()
    if (!sheets.has(text)) sheet.replaceSync(text)
    sheets.set(text, sheet)
    return sheet
  })
  const lacking = wanted.filter((sheet) => !root.adoptedStyleSheets.includes(sheet))
  if (lacking.length) root.adoptedStyleSheets = [...root.adoptedStyleSheets, ...lacking]
}
