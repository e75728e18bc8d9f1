// Beside the frames in a notebook's output: gives each the height that its page asks for where it may not do so itself.
addEventListener("message", ({ source, data }) => {
  const frame = [...document.querySelectorAll("iframe")].find((each) => each.contentWindow === source)
  if (frame && data?.attentionHeight > 0) frame.style.height = `${data.attentionHeight}px`
})
