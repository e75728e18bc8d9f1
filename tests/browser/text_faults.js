// List what the layout of the page does to its texts, each with its element, and the texts by what they are for.
() => {
  const OUT = 2 // pixels beyond a box that are no fault: rounding, and letters wider than their advance
  const ASIDE = ".katex, style, script, template, .modebar, [data-testid=stIconMaterial], [data-testid=stDataFrame], [data-testid=stSlider]"
  const SPOKEN = ["aria-label", "title", "alt", "placeholder", "aria-valuetext"]
  const NAMES = "code, [data-said]"
  const HEADINGS = "h1, h2, h3, h4, h5, h6, [role=heading], summary, legend, [role=tab], label"
  const AXES = ".xtitle, .ytitle, .key-axis, .query-axis, .along"
  const main = document.querySelector('[data-testid="stMain"]')
  const faults = new Set()
  const [texts, headings, axes] = [new Set(), new Set(), new Set()]
  const lines = [] // rectangles of texts, to find those that are drawn on others

  const parent = (element) => element.parentElement ?? element.getRootNode().host
  const path = (element) => {
    const names = []
    for (let at = element; at && names.length < 4; at = parent(at)) {
      const name = at.dataset?.testid ?? at.classList[0]
      if (name || !names.length) names.unshift(name ? `${at.localName}.${name}` : at.localName)
    }
    return names.join(" > ")
  }
  const plain = (text) => text.replace(/\s+/g, " ").trim()
  const isInline = (style) => /^inline$|^contents$/.test(style.display)
  const isTurned = (element) => {
    if (element instanceof SVGElement) return Math.abs(element.getScreenCTM?.()?.b ?? 0) > 0.01
    const { transform, rotate, writingMode } = getComputedStyle(element)
    return writingMode !== "horizontal-tb" || rotate !== "none" || (transform !== "none" && Math.abs(new DOMMatrix(transform).b) > 0.01)
  }
  const layerOf = (element) => { // what stays on the screen while the page scrolls below it
    for (let at = element; at && at !== main; at = parent(at)) if (/sticky|fixed/.test(getComputedStyle(at).position)) return at
    return main
  }
  const beyond = (inner, outer) => Math.max(inner.right - outer.right, outer.left - inner.left)

  // A box that is seen as the text's: a cell, a button, whatever has an edge or a ground of its own.
  const isFrame = (element, style) =>
    !isInline(style) && !(element instanceof SVGElement) &&
    (/^(td|th|button)$/.test(element.localName) || parseFloat(style.borderRightWidth) > 0 || !/, 0\)$|^transparent$/.test(style.backgroundColor))

  /** What of a text can be seen, or reached by scrolling; null if nothing can. Notes where it is cut or leaves its box. */
  const visiblePart = (element, text, edges) => {
    let inFrame = false
    let part = edges
    for (let around = element; around && around !== main; around = parent(around)) {
      const style = getComputedStyle(around)
      const edge = around.getBoundingClientRect()
      const isGroup = around instanceof SVGElement && !(around instanceof SVGSVGElement)
      if (!isGroup && style.display !== "contents" && (edge.width <= 2 || edge.height <= 2 || style.clipPath !== "none")) return null // for screen readers
      if (/absolute|fixed/.test(style.position)) inFrame = true // placed beside its box
      if (!inFrame && isFrame(around, style)) {
        inFrame = true
        if (beyond(part, edge) > OUT) faults.add(`${Math.round(beyond(part, edge))} px beyond its box: ${path(element)}: ${text}`)
      }
      if (style.overflowX === "visible" && style.overflowY === "visible") continue
      const margin = edges.height * 0.15 // of the font, above and below its letters
      const out = Math.max(beyond(part, edge), part.bottom - edge.bottom - margin, edge.top - part.top - margin)
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) {
        const [left, right] = [Math.max(part.left, edge.left), Math.min(part.right, edge.right)]
        const [top, bottom] = [Math.max(part.top, edge.top), Math.min(part.bottom, edge.bottom)]
        if (left >= right || top >= bottom) return null
        part = { left, right, top, bottom }
      } else if (out > OUT) {
        faults.add(`cut by ${Math.round(out)} px: ${path(element)}: ${text}`)
      }
    }
    return part
  }

  const readText = (node) => {
    const element = node.parentElement ?? node.getRootNode().host
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return
    const range = document.createRange()
    range.selectNodeContents(node)
    const edges = range.getBoundingClientRect()
    const part = edges.width ? visiblePart(element, plain(node.data), edges) : null
    if (!part || isTurned(element)) return
    for (const { left, right, top, bottom, height } of range.getClientRects()) {
      const line = { left: Math.max(left, part.left), right: Math.min(right, part.right), top: top + height * 0.2, bottom: bottom - height * 0.2 }
      if (line.right - line.left > 1 && line.bottom > part.top && line.top < part.bottom) lines.push({ ...line, node, element, layer: layerOf(element) })
    }
  }

  /** The text of a block, in which a formula is one character, and names, tokens and code are between two others. */
  const textOf = (element) => {
    let text = ""
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) text += child.data
      else if (child.nodeType !== Node.ELEMENT_NODE) continue
      else if (child.matches(".katex")) text += "\ufffc"
      else if (child.matches(NAMES)) text += `\ufff9${child.textContent}\ufffb`
      else if (!child.matches(ASIDE)) text += isInline(getComputedStyle(child)) ? textOf(child) : " "
    }
    return text
  }

  /** Notes where a line of a block begins inside a word, as with a particle after a formula. */
  const readLines = (block) => {
    const range = document.createRange()
    let [text, before] = ["", null] // what was read, and the edges of its last character, null for a space
    const visit = (holder) => {
      for (const child of holder.childNodes) {
        if (child.nodeType === Node.ELEMENT_NODE) {
          if (child.matches(".katex")) [text, before] = [text + "\ufffc", child.getBoundingClientRect()]
          else if (child.localName === "br" || child.matches(ASIDE) || !isInline(getComputedStyle(child))) before = null
          else visit(child)
        } else if (child.nodeType === Node.TEXT_NODE) {
          for (let place = 0; place < child.length; place++) {
            range.setStart(child, place)
            range.setEnd(child, place + 1)
            const edges = range.getBoundingClientRect()
            const starts = before && edges.top > before.bottom - 4 && edges.left < before.left
            if (starts && /[가-힣]/.test(child.data[place])) faults.add(`a line begins inside a word: ${text.slice(-30)}|${child.data.slice(place, place + 9)}`)
            if (/\s/.test(child.data[place])) before = null
            else if (edges.width) before = edges
            text += child.data[place]
          }
        }
      }
    }
    visit(block)
  }

  const read = (element) => {
    if (element.matches(ASIDE)) return
    for (const name of SPOKEN) if (element.getAttribute(name)) texts.add(plain(element.getAttribute(name)))
    const isName = element.closest("[data-said]")
    const isShown = element.checkVisibility({ visibilityProperty: true })
    if (isShown && !isName && element.matches(HEADINGS)) headings.add(plain(textOf(element)))
    if (isShown && !isName && element.matches(AXES)) axes.add(plain(element.textContent))
    if (!isName && !isInline(getComputedStyle(element))) {
      const text = plain(textOf(element))
      texts.add(text)
      if (isShown && /[가-힣]/.test(text) && element instanceof HTMLElement && element.offsetWidth > 2 && !isTurned(element)) readLines(element)
    }
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) readText(child)
      else if (child.nodeType === Node.ELEMENT_NODE) read(child)
    }
    if (element.shadowRoot) for (const child of element.shadowRoot.children) read(child)
  }
  read(main)

  lines.sort((one, other) => one.top - other.top)
  for (const [place, one] of lines.entries()) {
    for (let next = place + 1; next < lines.length && lines[next].top < one.bottom - OUT; next++) {
      const other = lines[next]
      const shared = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      if (shared > OUT && one.node !== other.node && one.layer === other.layer) faults.add(`on another text: ${path(one.element)}: ${plain(one.node.data)} | ${plain(other.node.data)}`)
    }
  }
  for (const title of main.querySelectorAll(".js-plotly-plot .ytitle")) { // turned, so not among the lines
    const edge = title.getBoundingClientRect()
    for (const label of title.closest(".js-plotly-plot").querySelectorAll(".ytick text")) {
      const { left, right, top, bottom } = label.getBoundingClientRect()
      const isOver = left < edge.right && right > edge.left && top < edge.bottom && bottom > edge.top
      if (isOver) faults.add(`on the title of an axis: ${plain(title.textContent)} | ${plain(label.textContent)}`)
    }
  }
  return { faults: [...faults], texts: [...texts], headings: [...headings], axes: [...axes] }
}
