// A component in the page that the server sends first: mounted before Streamlit's scripts have come, and gone as soon as
// the page's own stands in its place, or the outline has left.

{ // names of its own
  const outline = document.querySelector(".first")
  const holder = outline.querySelector(".view")
  const shadow = holder.attachShadow({ mode: "open" })
  shadow.append(outline.querySelector(".component-of-view").content.cloneNode(true))
  const root = shadow.lastElementChild.className

  const text = atob(outline.querySelector(".payload").textContent)
  const data = Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  const nobody = () => {}
  const unmount = mountComponent({ data, parentElement: shadow, setTriggerValue: nobody, setStateValue: nobody })

  const HOSTS = "[data-testid=stMain] [data-testid=stBidiComponentIsolated]"
  const stands = ({ shadowRoot }) => shadowRoot?.querySelector(`.${root}[data-drawn]`)
  const look = () => {
    const left = getComputedStyle(outline).visibility === "hidden"
    if (!left && ![...document.querySelectorAll(HOSTS)].some(stands)) return requestAnimationFrame(look)
    unmount()
    outline.remove()
  }
  requestAnimationFrame(look)
}
