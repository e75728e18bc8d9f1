/** Runs next to the frames in a notebook's output: sets the height that a page requests if it cannot set it itself. */

addEventListener("message", ({ source, data }: MessageEvent<{ attentionHeight?: number } | null>) => {
  const frame = [...document.querySelectorAll("iframe")].find((element) => element.contentWindow === source)
  if (frame && !frame.dataset.fixedHeight && data?.attentionHeight && data.attentionHeight > 0) frame.style.height = `${data.attentionHeight}px`
})
