// List texts of the page outside the brackets of the pseudo-language, which are not in the catalogue, each with its
// element. The arguments are described in `uncatalogued.py`.
async ({ opened, closed, data, streamlit }) => {
  const WORD = /\p{L}{2}/u
  const UNTRANSLATED = /\b(Message|Name)\(/ // the repr of a message that was not translated
  const TEXT_ATTRIBUTES = ["aria-label", "title", "alt", "placeholder", "aria-description", "aria-valuetext", "aria-roledescription"]
  const SHOWN_AS_DATA = ["title", "aria-valuetext"] // of an element that is marked; the page adds the others
  const NOT_READ = "style, script, noscript, template, meta, link, .katex"
  const CLOSED_IN_ITSELF = '[data-testid="stElementContainer"], [role="tooltip"]'
  const CLOSED_WHERE_IT_BEGINS = "svg, table" // a table may also be part of a text
  const findings = new Set()
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
    if (depth) findings.add(`${where}: ${Math.abs(depth)} brackets are not ${depth > 0 ? "closed" : "opened"}`)
    depth = before
  }

  const note = (where, text) => {
    const left = UNTRANSLATED.test(text) ? text : outside(text)
    if (WORD.test(left)) findings.add(`${where}: ${left.replace(/\s+/g, " ").trim()}`)
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

  // Which axes of a chart show tokens, numbers or names instead of the page's texts: those that its figure names.
  const marked = (plot, axis) => Boolean(plot?.layout?.meta?.said?.[axis])
  const isTick = (element) => {
    const [, letter, number] = element.getAttribute("class")?.match(/^([xy])(\d*)tick$/) ?? []
    return letter && marked(element.closest(".js-plotly-plot"), `${letter}axis${number}`)
  }

  // Texts of a chart under the pointer; its titles and its legend are elements.
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
        const filled = `${text} ${name}`.replace(/%\{([^}]*)\}/g, value).replace(/<[^>]*>/g, " ")
        whole(path(plot), () => note(`${path(plot)} under the pointer`, filled))
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
    for (const name of TEXT_ATTRIBUTES) {
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

  // Texts of components under the pointer, which goes to the middle of every element with a pointer listener.
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

  // Streamlit shows the help of a control while its sign has a visible focus, so one that follows a key.
  const readHelp = async (root) => {
    const frame = () => new Promise(requestAnimationFrame)
    for (const sign of root.querySelectorAll('[data-testid="stTooltipIcon"] button')) {
      if (!sign.checkVisibility()) continue
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "F15", bubbles: true }))
      sign.focus()
      const tooltip = () => document.querySelector('[data-testid="stTooltipContent"]')
      for (let frames = 0; !tooltip() && frames < 60; frames++) await frame()
      if (tooltip()) read(tooltip())
      else findings.add(`${path(sign)}: its help does not come`)
      sign.blur()
      for (let frames = 0; tooltip() && frames < 60; frames++) await frame()
    }
  }

  const main = document.querySelector('[data-testid="stMain"]')
  whole("the page", () => read(document.body))
  readTips(main)
  await readHelp(document.querySelector('[role="dialog"]') ?? main) // behind a dialog nothing gets the focus
  return [...findings]
}
