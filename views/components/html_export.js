// Mounts the component of a standalone file and follows the browser's theme, in place of the app.

{ // a scope of its own
  const view = document.querySelector(".view")
  const shadow = view.attachShadow({ mode: "open" })
  shadow.append(document.getElementById("component").content.cloneNode(true))

  const text = atob(document.getElementById("payload").textContent)
  const data = new Uint8Array(text.length)
  for (let place = 0; place < text.length; place++) data[place] = text.charCodeAt(place)

  const ignore = () => {}
  const mount = () => mountComponent({ data, parentElement: shadow, setTriggerValue: ignore, setStateValue: ignore })

  mount()
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", mount)
}
