// Stores the token that stands for this tab's own folder in the tab's sessionStorage, and sends it back after a reload.
// Another tab or visitor does not have it.

const NAME = "models-folder"

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".tab-memory-root")
  let stored = ""
  try {
    if (data.token) sessionStorage.setItem(NAME, data.token)
    stored = sessionStorage.getItem(NAME) ?? ""
  } catch {} // a browser may store nothing, for privacy
  if (data.token || data.answered || root.asked) return
  root.asked = true
  setTriggerValue("token", stored)
}
