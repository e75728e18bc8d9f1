// Everything on the page that stands outside the brackets of the pseudo-language, so was said past the catalogue: a
// list of findings, each with its element. The arguments are described in `uncatalogued.py`.
async ({ opened, closed, data, streamlit }) => {
  const WORD = /\p{L}{2}/u
  const NOT_SAID = /\b(Message|Name)\(/ // one that nobody asked what it says
  const TOLD = ["aria-label", "title", "alt", "placeholder", "aria-description", "aria-valuetext", "aria-roledescription"]
  const SHOWN_AS_DATA = ["title", "aria-valuetext"] // of an element that is marked; the rest of it is said by the page
  const NOT_READ = "style, script, noscript, template, meta, link, .katex"
  const CLOSED_IN_ITSELF = '[data-testid="stElementContainer"], [role="tooltip"]'
  const CLOSED_WHERE_IT_BEGINS = "svg, table" // a table may also be part of a text
  const found = new Set()
  let depth = 0 // of brackets, which may be opened in one element and closed in the next

  const outside = (text) => {
    let left = ""
    for (const char of text) {
      if (char === opened) depth++
      else if (char === closed) depth--
      else left += depth > 0 ? " " : char
    }
    return left
  }

  const whole = (where, look) => {
    const before = depth
    depth = 0
    look()
    if (depth) found.add(`${where}: ${Math.abs(depth)} brackets are not ${depth > 0 ? "closed" : "opened"}`)
    depth = before
  }

  const note = (where, text) => {
    const left = NOT_SAID.test(text) ? text : outside(text)
    if (WORD.test(left)) found.add(`${where}: ${left.replace(/\s+/g, " ").trim()}`)
  }

  const parent = (element) => element.parentElement ?? element.getRootNode().host
  const path = (element) => {
    const names = []
    for (let at = element; at && names.length < 4; at = parent(at)) {
      const name = at.dataset.testid ?? at.classList[0]
      if (name || !names.length) names.unshift(name ? `${at.localName}.${name}` : at.localName)
    }
    return names.join(" > ")
  }

  // Which axes of a chart show tokens, numbers or names instead of what the page says: those that its figure names.
  const marked = (plot, axis) => Boolean(plot?.layout?.meta?.said?.[axis])
  const isTick = (element) => {
    const [, letter, number] = element.getAttribute("class")?.match(/^([xy])(\d*)tick$/) ?? []
    return letter && marked(element.closest(".js-plotly-plot"), `${letter}axis${number}`)
  }

  // What a chart says under the pointer; its titles and its legend are elements.
  const readHover = (plot) => {
    for (const trace of plot._fullData ?? []) {
      if (trace.hoverinfo === "skip") continue
      const axes = { x: `xaxis${(trace.xaxis ?? "x").slice(1)}`, y: `yaxis${(trace.yaxis ?? "y").slice(1)}` }
      const words = (values) => [...new Set(values ?? [])].filter((value) => typeof value === "string").join(" ")
      const value = (_, name) => {
        const [list, place] = name.split(/[[\]:]/)
        if (marked(plot, axes[list])) return ""
        return words(list === "customdata" && place ? [...trace.customdata].map((row) => row?.[place]) : trace[list])
      }
      const template = trace.hovertemplate || trace.hovertext || trace.text || ""
      const name = /<extra>/.test(template) ? "" : trace.name
      for (const text of [template].flat()) {
        const shown = `${text} ${name}`.replace(/%\{([^}]*)\}/g, value).replace(/<[^>]*>/g, " ")
        whole(path(plot), () => note(`${path(plot)} under the pointer`, shown))
      }
    }
  }

  const readInside = (root) => {
    for (const child of root.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) note(path(child.parentElement ?? root.host), child.data)
      else if (child.nodeType === Node.ELEMENT_NODE) read(child)
    }
  }

  const read = (element) => {
    if (element.matches(NOT_READ)) return
    const own = streamlit.filter(([selector]) => element.matches(selector)).map(([, what]) => what)
    if (own.includes("all")) return
    const isData = element.matches(data) || isTick(element)
    const passed = [...own.flat(), ...(isData ? SHOWN_AS_DATA : [])]
    for (const name of TOLD) {
      const text = element.getAttribute(name)
      if (text && !passed.includes(name)) whole(path(element), () => note(`${path(element)} ${name}`, text))
    }
    if (element.matches('input[role="combobox"]')) whole(path(element), () => note(path(element), element.value))
    if (isData || own.includes("text")) return
    if (element.matches(".js-plotly-plot")) readHover(element)
    if (element.shadowRoot) whole(path(element), () => readInside(element.shadowRoot))
    const alone = element.matches(CLOSED_IN_ITSELF) || (!depth && element.matches(CLOSED_WHERE_IT_BEGINS))
    if (alone) whole(path(element), () => readInside(element))
    else readInside(element)
  }

  // What components say under the pointer: it goes to the middle of everything that listens to it.
  const elementsIn = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? elementsIn(one.shadowRoot) : [])])
  const readTips = (main) => {
    for (const listening of elementsIn(main).filter((one) => one.onpointermove)) {
      const at = listening.firstElementChild ?? listening
      const { left, top, width, height } = at.getBoundingClientRect()
      if (!width) continue
      const point = { bubbles: true, clientX: left + width / 2, clientY: top + height / 2 }
      at.dispatchEvent(new PointerEvent("pointermove", point))
      for (const tip of listening.getRootNode().querySelectorAll(".tip")) whole(path(tip), () => read(tip))
      listening.dispatchEvent(new PointerEvent("pointerleave", { bubbles: true })) // its parents receive the mouseleave event, too
    }
  }

  // Streamlit shows the help of a control while its sign has a focus that is seen, so one that follows a key.
  const readHelp = async (root) => {
    const frame = () => new Promise(requestAnimationFrame)
    for (const sign of root.querySelectorAll('[data-testid="stTooltipIcon"] button')) {
      if (!sign.checkVisibility()) continue
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "F15", bubbles: true }))
      sign.focus()
      const shown = () => document.querySelector('[data-testid="stTooltipContent"]')
      for (let frames = 0; !shown() && frames < 60; frames++) await frame()
      if (shown()) read(shown())
      else found.add(`${path(sign)}: its help does not come`)
      sign.blur()
      for (let frames = 0; shown() && frames < 60; frames++) await frame()
    }
  }

  const main = document.querySelector('[data-testid="stMain"]')
  whole("the page", () => read(document.body))
  readTips(main)
  await readHelp(document.querySelector('[role="dialog"]') ?? main) // behind a dialog nothing gets the focus
  return [...found]
}
