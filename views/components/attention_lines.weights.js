// The weights of all layers and heads, and which of them are drawn: for each query and head the fewest keys that hold the
// selected share of the query's weights. A map is a head of a layer; maps are numbered layer by layer.

const STEPS = 4096 // bins of the histogram of weights

class Weights {
  constructor({ shape, causal, weights }) {
    [this.layers, this.heads, this.queries, this.keys] = shape
    this.causal = causal
    this.values = weights
    this.orders = new Map()
    this.cuts = new Map()
  }

  at(map, query, key) {
    return this.values[(map * this.queries + query) * this.keys + key]
  }

  masked(query, key) {
    return this.causal && key > query
  }

  mean(maps, query, key) {
    let sum = 0
    for (const map of maps) sum += this.at(map, query, key)
    return maps.length ? sum / maps.length : 0
  }

  // The keys of each query of a map, largest weight first; among equals the first key first.
  order(map) {
    if (this.orders.has(map)) return this.orders.get(map)
    const { queries, keys } = this
    const order = new Uint16Array(queries * keys)
    // Positive floats sort like their bits. Bits and key in one number allow the fast numeric sort.
    const bits = new Uint32Array(this.values.buffer, 4 * map * queries * keys, queries * keys)
    const row = new Float64Array(keys)
    for (let query = 0; query < queries; query++) {
      for (let key = 0; key < keys; key++) row[key] = bits[query * keys + key] * 65536 + (65535 - key)
      row.sort()
      for (let place = 0; place < keys; place++) {
        const both = row[keys - 1 - place]
        order[query * keys + place] = 65535 - (both - Math.floor(both / 65536) * 65536)
      }
    }
    this.orders.set(map, order)
    return order
  }

  // Sets the share of each query's weights that is drawn.
  setShare(share) {
    if (share !== this.share) this.cuts.clear()
    this.share = share
  }

  // For each query of a map: how many keys are drawn, and the last of them.
  cut(map) {
    if (this.cuts.has(map)) return this.cuts.get(map)
    const { queries, keys } = this
    const order = this.order(map)
    const cut = { counts: new Uint16Array(queries), last: new Uint16Array(queries) }
    for (let query = 0; query < queries; query++) {
      const row = (map * queries + query) * keys
      let total = 0
      for (let key = 0; key < keys; key++) total += this.values[row + key]
      const least = this.share * total - 1e-6 // weights have about seven digits
      let covered = 0
      let count = 0
      while (count < keys && covered < least && this.values[row + order[query * keys + count]] > 0) {
        covered += this.values[row + order[query * keys + count]]
        count += 1
      }
      cut.counts[query] = count
      if (count) cut.last[query] = order[query * keys + count - 1]
    }
    this.cuts.set(map, cut)
    return cut
  }

  drawn(map, query, key) {
    const { counts, last } = this.cut(map)
    if (!counts[query]) return false
    const weight = this.at(map, query, key)
    const least = this.at(map, query, last[query])
    return weight > least || (weight === least && key <= last[query])
  }

  // The number of lines of a token, or of all tokens if `focus` is null, and the strongest `most` of them as indices into
  // `values`.
  strongest(maps, focus, most) {
    const { values } = this
    const cells = this.drawnCells(maps, focus)
    const all = cells.length
    if (all <= most) return { all, cells }
    const counts = new Uint32Array(STEPS + 1)
    for (const cell of cells) counts[Math.min(STEPS, Math.floor(values[cell] * STEPS))] += 1
    let step = STEPS
    for (let lines = counts[step]; step > 0 && lines + counts[step - 1] <= most; lines += counts[step]) step -= 1
    const least = step / STEPS
    return { all, cells: cells.filter((cell) => values[cell] >= least) }
  }

  drawnCells(maps, focus) {
    const { queries, keys } = this
    const cells = []
    for (const map of maps) {
      const first = map * queries * keys
      if (focus?.side === "key") {
        for (let query = 0; query < queries; query++) {
          if (this.drawn(map, query, focus.place)) cells.push(first + query * keys + focus.place)
        }
        continue
      }
      const order = this.order(map)
      const { counts } = this.cut(map)
      const [from, end] = focus ? [focus.place, focus.place + 1] : [0, queries]
      for (let query = from; query < end; query++) {
        const row = query * keys
        for (let place = row; place < row + counts[query]; place++) cells.push(first + row + order[place])
      }
    }
    return cells
  }
}

// A payload's header, in which each kind is decoded on demand: `(layer, head, query, key)`.
function decodeLines(bytes) {
  const [header, body] = unpack(bytes)
  const kinds = header.kinds ?? { "": header }
  let read = 0
  for (const kind of Object.values(kinds)) {
    const start = read
    read += seenCells(kind) * (kind.type === "float32" ? 4 : 3)
    const numbers = body.slice(start, read) // a copy is aligned, as typed arrays need
    kind.decode = () => {
      const packed = kind.type === "float32" ? new Float32Array(numbers) : from24Bits(new Uint8Array(numbers))
      return kind.causal ? spread(kind.weights, packed) : packed
    }
  }
  return { ...header, kinds }
}

// The number of a kind's weights in the payload: if causal, only those of keys up to the query.
function seenCells({ weights: [layers, heads, queries, keys], causal }) {
  const seen = Array.from({ length: queries }, (_, query) => (causal ? Math.min(keys, query + 1) : keys))
  return layers * heads * seen.reduce((sum, count) => sum + count, 0)
}

function spread([layers, heads, queries, keys], packed) {
  const values = new Float32Array(layers * heads * queries * keys)
  let from = 0
  for (let row = 0; row < layers * heads * queries; row++) {
    const seen = Math.min(keys, (row % queries) + 1)
    values.set(packed.subarray(from, from + seen), row * keys)
    from += seen
  }
  return values
}

// 24-bit floats: float32 without its lowest 8 bits.
function from24Bits(bytes) {
  const count = bytes.length / 3
  const whole = new Uint8Array(4 * count)
  for (let number = 0; number < count; number++) {
    whole[4 * number + 1] = bytes[3 * number]
    whole[4 * number + 2] = bytes[3 * number + 1]
    whole[4 * number + 3] = bytes[3 * number + 2]
  }
  return new Float32Array(whole.buffer)
}
