// The plane, or space in parallel projection, with vectors, their span and the linear combination of the point.

const SIDE = 100 // from the middle of the drawing to its edge
const LEAST = 5 // units from the middle to the edge
const MOST_LINES = 24 // of a basis, on either side of 0

class VectorDrawing {
  constructor(view, parent) {
    this.view = view
    const { names, hues, label, dimensions } = view.sheet
    const svg = svgElement("svg", { viewBox: `${-SIDE} ${-SIDE} ${2 * SIDE} ${2 * SIDE}`, role: "group" }, parent)
    svg.setAttribute("aria-label", label)
    this.svg = svg
    const layers = ["ground", "span", "lattice", "axis", "sum", "miss"]
    this.paths = Object.fromEntries(layers.map((name) => [name, svgElement("path", { class: name }, svg)]))
    this.letters = view.sheet.axes.map((axis) => {
      const letter = svgElement("text", { class: "letter", "aria-hidden": "true" }, svg)
      letter.textContent = axis
      return markData(letter, "name")
    })
    this.handles = names.map((name, row) => this.buildHandle(name, row, hues[row]))
    if (dimensions === 3) this.buildTurning()
  }

  buildHandle(name, row, hue) {
    const { limit } = this.view.sheet
    const group = svgElement("g", { class: hue ? "handle" : "handle point", tabindex: 0, role: "slider" }, this.svg)
    group.setAttribute("aria-label", name)
    group.setAttribute("aria-valuemin", -limit)
    group.setAttribute("aria-valuemax", limit)
    if (hue) group.style.color = hue
    const shaft = svgElement("path", { class: "shaft" }, group)
    const tip = svgElement("path", { class: "tip-of" }, group)
    const grip = svgElement("circle", { class: "grip", r: 9 }, group)
    const nameLabel = svgElement("text", { "aria-hidden": "true" }, group)
    nameLabel.textContent = name
    markData(nameLabel, "name")
    group.onkeydown = (event) => this.view.press(event, row)
    group.onpointerdown = (event) => this.hold(event, group, (at) => this.drag(row, at))
    return { group, shaft, tip, grip, nameLabel }
  }

  // Follows a pointer until it is released.
  hold(event, shown, follow) {
    event.preventDefault()
    event.stopPropagation()
    shown.focus?.({ preventScroll: true })
    shown.setPointerCapture(event.pointerId)
    this.dragging = true
    this.view.unsent?.abort()
    shown.onpointermove = (moved) => follow(moved)
    shown.onpointerup = shown.onpointercancel = () => {
      shown.onpointermove = shown.onpointerup = shown.onpointercancel = null
      this.dragging = false
      this.view.draw()
      this.view.tellPlaced()
    }
  }

  buildTurning() {
    this.svg.classList.add("turns")
    this.svg.onpointerdown = (event) => {
      const { clientX, clientY } = event
      const [turn, tilt] = this.view.state.turn
      this.hold(event, this.svg, (at) => {
        const round = ((turn - (at.clientX - clientX) / 2 + 540) % 360) - 180
        this.view.turnTo(0, round)
        this.view.turnTo(1, tilt + (at.clientY - clientY) / 3)
      })
    }
  }

  // The pointer's position in units from the middle, to the right and upwards.
  pointed({ clientX, clientY }) {
    const { left, top, width, height } = this.svg.getBoundingClientRect()
    const across = ((clientX - left) / width) * 2 - 1
    const down = ((clientY - top) / height) * 2 - 1
    return [(across * SIDE) / this.unit, (-down * SIDE) / this.unit]
  }

  drag(row, event) {
    const at = this.pointed(event)
    const snapped = (number) => Math.round(Math.min(this.reach, Math.max(-this.reach, number)) / STEP) * STEP
    if (this.view.sheet.dimensions === 2) {
      this.view.place(row, { 0: snapped(at[0]), 1: snapped(at[1]) })
      return
    }
    const now = [...this.view.state.vectors, this.view.state.point][row]
    const [right, up] = this.seen([0, 0, now[2]])
    const [cos, sin, above, level] = this.angles
    if (this.view.upwards) {
      const [, ground] = this.seen([now[0], now[1], 0])
      this.view.place(row, { 2: snapped((at[1] - ground) / level) })
      return
    }
    const depth = (at[1] - up) / above
    const across = at[0] - right
    this.view.place(row, { 0: snapped(across * cos - depth * sin), 1: snapped(across * sin + depth * cos) })
  }

  // Units to the right and upwards on the screen.
  seen(place) {
    if (place.length === 2) return place
    const [cos, sin, above, level] = this.angles
    const [x, y, z] = place
    return [x * cos + y * sin, z * level + (y * cos - x * sin) * above]
  }

  to(place) {
    const [right, up] = this.seen(place)
    return [right * this.unit, -up * this.unit]
  }

  line(from, to) {
    const [one, other] = [this.to(from), this.to(to)]
    return `M${one.map((number) => number.toFixed(2)).join(" ")}L${other.map((number) => number.toFixed(2)).join(" ")}`
  }

  draw(state, derived) {
    const rows = [...state.vectors, state.point]
    if (!this.dragging || !this.reach) this.reach = Math.max(LEAST, Math.ceil(Math.max(...rows.flat().map(Math.abs))))
    const [turn, tilt] = state.turn.map((angle) => (angle * Math.PI) / 180)
    this.angles = [Math.cos(turn), Math.sin(turn), Math.sin(tilt), Math.cos(tilt)]
    this.unit = (SIDE * 0.94) / (this.reach * (rows[0].length === 3 ? 1.35 : 1))
    this.drawGround(rows[0].length)
    this.drawSpan(state.vectors, derived)
    this.drawSum(state, derived)
    rows.forEach((row, place) => this.drawHandle(row, place))
  }

  drawGround(dimensions) {
    const { reach } = this
    const step = reach > 10 ? 5 : 1
    const flat = (x, y) => (dimensions === 2 ? [x, y] : [x, y, 0])
    let ground = ""
    for (let at = -Math.floor(reach / step) * step; at <= reach; at += step) {
      ground += this.line(flat(at, -reach), flat(at, reach)) + this.line(flat(-reach, at), flat(reach, at))
    }
    this.paths.ground.setAttribute("d", ground)
    const ends = [...Array(dimensions).keys()].map((axis) => [...Array(dimensions).keys()].map((at) => (at === axis ? reach : 0)))
    this.paths.axis.setAttribute("d", ends.map((end) => this.line(scaled(end, -1), end)).join(""))
    this.letters.forEach((letter, axis) => {
      const [x, y] = this.to(ends[axis])
      letter.setAttribute("x", Math.min(x, SIDE - 6))
      letter.setAttribute("y", Math.max(y - 3, 8 - SIDE))
    })
  }

  // The span: a line, a plane, or the lattice of integer combinations with the parallelogram or box of the basis.
  drawSpan(vectors, { rank, basis }) {
    const far = 2 * this.reach
    let [span, lattice] = ["", ""]
    if (rank === 1) span = this.line(scaled(basis[0], -far), scaled(basis[0], far))
    if (rank === 2 && vectors[0].length === 3) {
      const side = scaled(basis[0], this.reach)
      const other = scaled(basis[1], this.reach)
      const corners = [[1, 1], [1, -1], [-1, -1], [-1, 1]].map(([one, two]) => this.to(added(scaled(side, one), scaled(other, two))))
      span = `M${corners.map((corner) => corner.join(" ")).join("L")}Z`
    }
    if (rank === 2 && vectors.length === 2 && vectors[0].length === 3) {
      const [u, v] = vectors
      lattice = this.line(u, added(u, v)) + this.line(v, added(u, v))
    }
    if (rank === vectors[0].length) {
      const origin = vectors[0].map(() => 0)
      if (rank === 2) {
        const corners = [origin, vectors[0], added(...vectors), vectors[1]].map((corner) => this.to(corner))
        span = `M${corners.map((corner) => corner.join(" ")).join("L")}Z`
        for (const [one, other] of [vectors, [...vectors].reverse()]) {
          const count = Math.min(MOST_LINES, Math.ceil((2 * far) / Math.max(lengthOf(one), 1e-3)))
          const along = scaled(other, far / lengthOf(other))
          for (let at = -count; at <= count; at++) {
            const through = scaled(one, at)
            lattice += this.line(added(through, scaled(along, -1.5)), added(through, scaled(along, 1.5)))
          }
        }
      } else {
        const [u, v, w] = vectors
        const turns = [[u, v, w], [v, u, w], [w, u, v]]
        for (const [edge, one, other] of turns) {
          for (const from of [origin, one, other, added(one, other)]) lattice += this.line(from, added(from, edge))
        }
      }
    }
    this.paths.span.setAttribute("d", span)
    this.paths.span.classList.toggle("filled", rank > 1)
    this.paths.lattice.setAttribute("d", lattice)
  }

  // The path to the point, one multiple of each vector after another; or from the nearest point of the span.
  drawSum({ vectors, point }, { coordinates, nearest, reached }) {
    let [sum, at] = ["", vectors[0].map(() => 0)]
    coordinates?.forEach((share, place) => {
      const next = added(at, scaled(vectors[place], share))
      sum += this.line(at, next)
      at = next
    })
    this.paths.sum.setAttribute("d", sum)
    this.paths.miss.setAttribute("d", reached ? "" : this.line(nearest, point))
  }

  drawHandle(row, place) {
    const { group, shaft, tip, grip, nameLabel } = this.handles[place]
    const [x, y] = this.to(row)
    const size = Math.hypot(x, y)
    const isPoint = place === this.handles.length - 1
    if (!isPoint) {
      const [right, down] = size ? [x / size, y / size] : [0, 0]
      const back = [x - 6 * right, y - 6 * down]
      shaft.setAttribute("d", `M0 0L${back.join(" ")}`)
      const wing = (side) => `${back[0] - side * 3 * down} ${back[1] + side * 3 * right}`
      tip.setAttribute("d", size ? `M${x} ${y}L${wing(1)}L${wing(-1)}Z` : "")
    } else {
      tip.setAttribute("d", `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z`)
    }
    grip.setAttribute("cx", x)
    grip.setAttribute("cy", y)
    nameLabel.setAttribute("x", Math.min(SIDE - 6, Math.max(-SIDE + 2, x + 5)))
    nameLabel.setAttribute("y", Math.min(SIDE - 3, Math.max(8 - SIDE, y - 5)))
    group.setAttribute("aria-valuenow", row[0])
    group.setAttribute("aria-valuetext", row.join(", "))
  }
}
