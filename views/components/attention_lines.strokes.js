// Thousands of lines from the left edge of a canvas to the right one. The browser's antialiased lines take about 50
// microseconds each without a graphics card; painting column by column takes a tenth of that.

const LEVELS = 32 // steps of a line's width, also the order in which lines are painted: the strongest last

// Lines are grouped by strength: [x1, y1, x2, y2, weight, head] each. `thickness` is that of a weight of 1.
class Strokes {
  constructor(thickness) {
    this.thickness = thickness
    this.levels = Array.from({ length: LEVELS + 1 }, () => [])
    this.count = 0
  }

  add(x1, y1, x2, y2, weight, head) {
    this.levels[Math.ceil(Math.min(1, weight) * LEVELS)].push(x1, y1, x2, y2, weight, head)
    this.count += 1
  }

  each(visit) {
    for (const level of this.levels) {
      for (let place = 0; place < level.length; place += 6) {
        visit(level[place], level[place + 1], level[place + 2], level[place + 3], level[place + 4], level[place + 5])
      }
    }
  }
}

function widthOf(weight, thickness) {
  return 0.8 + (thickness - 0.8) * weight
}

function strengthOf(weight) {
  return 0.2 + 0.8 * weight
}

// One horizontal line in a head's colour and dashes, for a legend.
function strokeAcross(pen, x, y, length, width, [colour, dashes]) {
  pen.strokeStyle = colour
  pen.lineWidth = width
  pen.setLineDash(dashes)
  pen.beginPath()
  pen.moveTo(x, y)
  pen.lineTo(x + length, y)
  pen.stroke()
}

// Paints strokes on a canvas of the background's colour, with `across` and `down` canvas pixels per page pixel.
function paintStrokes(canvas, strokes, { width, height, across, down, background, styles }) {
  const size = [Math.max(1, Math.round(width * across)), Math.max(1, Math.round(height * down))]
  if (canvas.image?.width !== size[0] || canvas.image.height !== size[1]) {
    [canvas.width, canvas.height] = size
    canvas.image = new ImageData(...size)
    canvas.pixels = new Uint32Array(canvas.image.data.buffer)
  }
  const { pixels } = canvas
  pixels.fill(packed(background))
  const heads = styles.map(([colour, dashes]) => ({ colour: packed(colour), dashes: dashPattern(dashes, across) }))
  strokes.each((x1, y1, x2, y2, weight, head) => {
    const slope = ((y2 - y1) / (x2 - x1)) * (down / across)
    // in page pixels, since canvas pixels need not be square
    const thick = widthOf(weight, strokes.thickness) * Math.hypot(1, (y2 - y1) / (x2 - x1)) * down
    const line = { first: Math.round(x1 * across), end: Math.round(x2 * across), top: y1 * down, slope, thick }
    paintLine(pixels, size, line, strengthOf(weight), heads[head])
  })
  canvas.getContext("2d").putImageData(canvas.image, 0, 0)
}

// Which columns of a line are painted; null for all.
function dashPattern(dashes, across) {
  if (!dashes.length) return null
  return dashes.flatMap((length, place) => Array(Math.max(1, Math.round(length * across))).fill(place % 2 === 0))
}

// In each column of pixels a line covers a run of them; where it is steep, the run is as long as the line climbs.
function paintLine(pixels, [width, height], { first, end, top, slope, thick }, strength, { colour, dashes }) {
  const reach = Math.max(thick, Math.abs(slope), 1)
  const opacity = 256 * strength * (thick / reach)
  const outer = colour & 0xff00ff // two channels with a gap between them, mixed in one multiplication
  const inner = colour & 0x00ff00
  for (let x = first; x < end; x++) {
    if (dashes && !dashes[x % dashes.length]) continue
    const from = top + slope * (x + 0.5 - first) - reach / 2
    const to = from + reach
    const last = Math.min(height, Math.ceil(to))
    for (let y = Math.max(0, Math.floor(from)); y < last; y++) {
      const share = (opacity * ((to < y + 1 ? to : y + 1) - (from > y ? from : y))) | 0
      const place = y * width + x
      const under = pixels[place]
      const rest = 256 - share
      const mixedOuter = ((Math.imul(outer, share) + Math.imul(under & 0xff00ff, rest) + 0x800080) >>> 8) & 0xff00ff
      const mixedInner = ((Math.imul(inner, share) + Math.imul(under & 0x00ff00, rest) + 0x008000) >>> 8) & 0x00ff00
      pixels[place] = 0xff000000 | mixedOuter | mixedInner
    }
  }
}
