// Computations in the browser while a slider is dragged. A rule receives the arrays and the sliders' values, and returns
// the derived numbers: along the one axis that each has, or single.

const RULES = {
  // From logits to the sampling distribution, like `model/decoding/sampling_stages.py`.
  // `sorted`: the logits of all tokens that can be generated, largest first; `rank`: of each row of the table, from 1.
  sampling({ sorted, rank }, { try_temperature: temperature, try_k: topK, try_p: topP }) {
    const scaled = Float64Array.from(sorted.values, (logit) => logit / temperature)
    const powers = scaled.map((value) => Math.exp(value - scaled[0]))
    let end = topK || scaled.length
    while (end < scaled.length && scaled[end] === scaled[end - 1]) end += 1 // logits equal to the last one stay too
    const all = sumOf(powers)
    const topMass = sumOf(powers.subarray(0, end))
    let count = 1 // the most probable token always stays
    let before = powers[0] / topMass
    while (count < end && (topP === 1 || before < topP)) before += powers[count++] / topMass
    const total = sumOf(powers.subarray(0, count))
    const ofRow = (valueAt) => Array.from(rank.values, (place) => valueAt(place - 1))
    return {
      scaled: ofRow((place) => scaled[place]),
      filtered: ofRow((place) => (place < count ? scaled[place] : NaN)),
      probability: ofRow((place) => (place < count ? powers[place] / total : 0)),
      kept: [count],
      mass: [total / all],
    }
  },

  // The smoothed target, the gradient of the logits and the loss, like `model/networks/loss_terms.py`.
  // `p`: the model's probabilities of the rows, the right token's first; `plain`, `even`: mean loss of the right tokens
  // and of all tokens.
  smoothing({ p, plain, even, vocabulary }, { smoothing: percent }) {
    const [share, size] = [percent / 100, vocabulary.values[0]]
    const each = share / size
    const q = Array.from(p.values, (_, row) => each + (row === 0 ? 1 - share : 0))
    const entropy = (probability) => (probability ? -probability * Math.log(probability) : 0)
    return {
      q,
      gradient: q.map((target, row) => p.values[row] - target),
      smoothed: [(1 - share) * plain.values[0] + share * even.values[0]],
      smallest: [entropy(q[0]) + (size - 1) * entropy(each)],
    }
  },
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0)
}

// Replaces numbers by those of a rule, except at the positions that the server has, which keep the server's. Returns the
// largest difference between the two there.
function followRule(numbers, { rule, at }, axes) {
  const compute = (places) => {
    const settings = Object.keys(at).map((id) => [id, axes[id].values[places[id]]])
    return RULES[rule](numbers, Object.fromEntries(settings))
  }
  const standing = (places) => Object.keys(at).map((id) => places[id]).join()
  const known = { places: standing(at), results: compute(at) }
  let difference = 0
  for (const [key, results] of Object.entries(known.results)) {
    const { dims, values, at: sent } = numbers[key]
    results.forEach((value, place) => (difference = Math.max(difference, Math.abs(value - values[place]) || 0)))
    const own = (places) => {
      const now = standing(places)
      if (now !== known.places) Object.assign(known, { places: now, results: compute(places) })
      return known.results[key][dims.length ? places[dims[0]] : 0]
    }
    const server = standing(at)
    numbers[key] = { dims, values, at: (places) => (standing(places) === server ? sent(places) : own(places)) }
  }
  return difference
}
