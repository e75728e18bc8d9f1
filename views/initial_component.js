// A component in the initial page of the server: mounted before Streamlit's scripts have loaded, and removed as soon as
// the page's own is rendered, the outline has faded out, or the user acts on the page below. It waits for the font,
// without which labels have another width.

{ // a scope of its own
  const outline = document.querySelector(".first")
  const component = outline.querySelector(".component-of-view").content
  const root = component.lastElementChild.className
  const left = new AbortController()
  let unmount = () => {}

  const leave = () => {
    left.abort()
    unmount()
    outline.remove()
  }
  const own = (shown) => shown.matches(`.${root}`) && !outline.contains(shown.getRootNode().host)
  window.addEventListener("shown", ({ detail }) => own(detail) && leave(), left)
  outline.addEventListener("animationend", ({ target }) => target === outline && leave(), left)
  const below = () => document.querySelector("[data-testid=stMain] [data-testid=stElementContainer]")
  const options = { capture: true, signal: left.signal }
  const makeRoom = () => below() && leave()
  window.addEventListener("pointerdown", makeRoom, options)
  window.addEventListener("keydown", makeRoom, options)

  document.fonts.load(getComputedStyle(outline).font).finally(() => {
    if (!outline.isConnected) return
    const shadow = outline.querySelector(".view").attachShadow({ mode: "open" })
    shadow.append(component.cloneNode(true))
    const text = atob(outline.querySelector(".payload").textContent)
    const data = Uint8Array.from(text, (letter) => letter.charCodeAt(0))
    const ignore = () => {}
    unmount = mountComponent({ data, parentElement: shadow, setTriggerValue: ignore, setStateValue: ignore })
  })
}
