/** Where nodes and edges of a graph over layers are drawn. */

export interface Node {
  id: string
  label: string
  column: number
  row: number
  kind: string
}

export interface Edge {
  id: string
  sender: string
  receiver: string
  value: number
}

/** The middle of a node, and its width, in pixels. */
export interface Place {
  x: number
  y: number
  width: number
}

export interface Layout {
  width: number
  height: number
  places: { nodes: ReadonlyMap<string, Place>; columns: readonly (number | undefined)[] } // undefined: left out
}

const TOP = 40 // pixels above the first row
const ROW = 34
const GAP = 46 // between two columns, for the edges
const CHARACTER = 7.2 // width of a letter; a wide one, such as a syllable of Hangul, takes the place of two
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]|\p{Emoji_Presentation}/u
const LEAST = 34 // width of a column
const LEAST_GAP = 18 // where there is little room
const MARGIN = 8 // for titles that are wider than the last column

/**
 * The strongest edges with an effect of at least `least` percent of the strongest one, and those that are cut, in the order of
 * the payload.
 */
export function shownEdges<Shown extends Edge>(
  edges: readonly Shown[],
  cut: readonly string[],
  count: number,
  least: number,
): Shown[] {
  const smallest = (least / 100) * strongest(edges)
  return edges.filter(({ id, value }, place) => cut.includes(id) || (place < count && Math.abs(value) >= smallest))
}

/** The largest |effect|. */
export function strongest(edges: readonly Edge[]): number {
  return Math.max(...edges.map(({ value }) => Math.abs(value)), 1e-30)
}

/**
 * Places of the nodes that edges touch, and of all nodes in the first and the last column. Rows within a column close up,
 * in their order, so that a column is as high as it has nodes. Where all columns are wider than `room` pixels, those
 * without a node are left out and the gaps are as small as needed.
 */
export function layOut(nodes: readonly Node[], edges: readonly Edge[], columns: number, room = Infinity): Layout {
  const wide = place(nodes, edges, columns, GAP, false)
  if (wide.width <= room) return wide
  const close = place(nodes, edges, columns, GAP, true)
  const gaps = close.places.columns.filter((middle) => middle !== undefined).length - 1
  const gap = Math.max(LEAST_GAP, GAP - Math.max(0, close.width - room) / Math.max(1, gaps))
  return place(nodes, edges, columns, gap, true)
}

function place(nodes: readonly Node[], edges: readonly Edge[], columns: number, gap: number, leavesOut: boolean): Layout {
  const touched = new Set(edges.flatMap(({ sender, receiver }) => [sender, receiver]))
  const shown = nodes.filter(({ id, column }) => touched.has(id) || column === 0 || column === columns - 1)
  const byColumn = Array.from({ length: columns }, (_, column) => {
    return shown.filter((node) => node.column === column).sort((one, other) => one.row - other.row)
  })
  const rows = Math.max(1, ...byColumn.map((column) => column.length))
  const height = TOP + rows * ROW
  const placed = new Map<string, Place>()
  const middles: (number | undefined)[] = []
  let left = 4
  for (const column of byColumn) {
    if (leavesOut && !column.length) {
      middles.push(undefined)
      continue
    }
    const width = Math.max(LEAST, ...column.map(({ label }) => 14 + CHARACTER * letters(label)))
    middles.push(left + width / 2)
    const start = TOP + ((rows - column.length) * ROW) / 2
    column.forEach(({ id }, row) => placed.set(id, { x: left + width / 2, y: start + (row + 0.5) * ROW, width }))
    left += width + gap
  }
  return { width: left - gap + MARGIN, height, places: { nodes: placed, columns: middles } }
}

function letters(label: string): number {
  return [...label].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0)
}

/** The line of an edge, as the path of an SVG. Edges to different inputs of one node arrive at different heights. */
export function curve(from: Place, to: Place, input: string): string {
  const [x1, x2] = [from.x + from.width / 2, to.x - to.width / 2]
  const [y1, y2] = [from.y, to.y + shift(input)]
  const bend = Math.max(20, (x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

function shift(input: string): number {
  let sum = 0
  for (const letter of input) sum += letter.charCodeAt(0)
  return input ? ((sum % 3) - 1) * 6 : 0
}

/** The thickness of an edge in pixels; `top` is the largest |value|. */
export function thickness(value: number, top: number): number {
  return 1 + (7 * Math.abs(value)) / top
}
