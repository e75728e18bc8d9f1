/** A drag sideways that changes a weight. */

const LEAST = 3 // pixels that the pointer moves before it drags

/** Follows the pointer from a press until it is released, once a frame; `length`: pixels from the weight 0 to 1. */
export function dragWeight(
  { clientX }: PointerEvent,
  start: number,
  length: number,
  pulling: { preview: (weight: number) => void; release: (weight: number) => void },
): void {
  const ended = new AbortController()
  const { signal } = ended
  const weightAt = (later: PointerEvent) => Math.round(100 * (start + (later.clientX - clientX) / length)) / 100
  let moved = false
  let newest: PointerEvent | undefined // that waits for the next frame
  const draw = () => {
    if (newest && !signal.aborted) pulling.preview(weightAt(newest))
    newest = undefined
  }
  const move = (later: PointerEvent) => {
    moved ||= Math.abs(later.clientX - clientX) > LEAST
    if (!moved) return
    if (!newest) window.requestAnimationFrame(draw)
    newest = later
  }
  const release = (later: PointerEvent) => {
    ended.abort()
    if (moved) pulling.release(weightAt(later))
  }
  window.addEventListener("pointermove", move, { signal })
  window.addEventListener("pointerup", release, { signal })
  window.addEventListener("pointercancel", () => ended.abort(), { signal })
}
