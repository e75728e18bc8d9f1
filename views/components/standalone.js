// What the app does around a component, for a file that stands alone: mount it, follow the browser's theme, keep in the
// mark what is chosen, and show that larger where there is a detail.

{ // names of its own
  const view = document.querySelector(".view")
  const shadow = view.attachShadow({ mode: "open" })
  shadow.append(document.getElementById("component").content.cloneNode(true))

  const text = atob(document.getElementById("payload").textContent)
  const data = new Uint8Array(text.length)
  for (let place = 0; place < text.length; place++) data[place] = text.charCodeAt(place)

  const detail = typeof Detail === "undefined" ? null : new Detail(shadow)

  function mount() {
    const setTriggerValue = (name, value) => detail?.choose(value)
    mountComponent({ data, parentElement: shadow, setTriggerValue, setStateValue: () => {}, key: "view", name: "view" })
    detail?.show()
  }

  mount()
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", mount)
}
