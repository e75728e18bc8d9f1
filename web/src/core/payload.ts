/** Reads the payload of a component: see views/viewer/payload.py. */

export type Bytes = Uint8Array<ArrayBufferLike>

interface ArrayHeader {
  name: string
  dtype: "float32" | "float24" | "float16" | "uint8" | "levels"
  shape: readonly number[]
  causal?: boolean // keys behind the query are not sent
  levels?: number // to which weights are rounded
  bytes?: number // of an array of levels
}

const SIZES = { float32: 4, float24: 3, float16: 2, uint8: 1, levels: 0 } // bytes of a number

/** The arrays of a payload by their names. Each is decoded when it is read. */
export class Arrays {
  private readonly sent = new Map<string, readonly [ArrayHeader, Bytes]>()

  constructor(headers: readonly ArrayHeader[], body: Bytes) {
    let offset = 0
    for (const header of headers) {
      const length = header.bytes ?? SIZES[header.dtype] * sentCount(header)
      this.sent.set(header.name, [header, body.subarray(offset, (offset += length))])
    }
  }

  has(name: string): boolean {
    return this.sent.has(name)
  }

  /** The lengths of an array's axes; empty if it was not sent. */
  shape(name: string): readonly number[] {
    return this.sent.get(name)?.[0].shape ?? []
  }

  /** Whether an array has three digits only. */
  rounded(name: string): boolean {
    return this.sent.get(name)?.[0].dtype === "float16"
  }

  /** The numbers of an array, row by row; none if it was not sent. */
  floats(name: string): Float32Array {
    const [header, sent] = this.sent.get(name) ?? []
    if (!header || !sent) return new Float32Array()
    const numbers = decoded(header, sent)
    return header.causal ? spread(header.shape, numbers) : numbers
  }

  /** The bytes of an array of bytes; none if it was not sent. */
  bytes(name: string): Uint8Array {
    return this.sent.get(name)?.[1].slice() ?? new Uint8Array()
  }
}

/** The header and the arrays of a payload. The caller names the header's type; nothing checks it. */
export function unpack<Header>(bytes: Bytes): [Header, Arrays] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = 4 + view.getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, end))) as Header & { arrays: ArrayHeader[] }
  return [header, new Arrays(header.arrays, bytes.subarray(end))]
}

/** Whether two payloads are the same. */
export function sameBytes(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, place) => byte === other[place])
}

/** The number of elements of an array of this shape. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, side) => product * side, 1)
}

function sentCount({ shape, causal }: ArrayHeader): number {
  if (!causal) return sizeOf(shape)
  const [queries, keys] = [shape.at(-2)!, shape.at(-1)!]
  let visible = 0
  for (let query = 0; query < queries; query++) visible += Math.min(keys, query + 1)
  return sizeOf(shape.slice(0, -2)) * visible
}

/** All numbers of a causal array; those that are not sent are 0. */
function spread(shape: readonly number[], sent: Float32Array): Float32Array {
  const values = new Float32Array(sizeOf(shape))
  const [queries, keys] = [shape.at(-2)!, shape.at(-1)!]
  let from = 0
  for (let row = 0; row < values.length / keys; row++) {
    const visible = Math.min(keys, (row % queries) + 1)
    values.set(sent.subarray(from, from + visible), row * keys)
    from += visible
  }
  return values
}

function decoded(header: ArrayHeader, sent: Bytes): Float32Array {
  if (header.dtype === "float24") return from24Bits(sent)
  if (header.dtype === "levels") return fromLevels(sent, sentCount(header), header.levels!)
  const { buffer } = sent.slice() // a copy is aligned, as typed arrays need
  return header.dtype === "float16" ? fromHalf(new Uint16Array(buffer)) : new Float32Array(buffer)
}

/** Weights that were rounded to levels: see views/viewer/level_code.py. */
function fromLevels(sent: Bytes, count: number, levels: number): Float32Array {
  const lengths = sent.subarray(1, 1 + sent[0]!)
  const [classOf, widest] = codeTable(lengths)
  const middles = Float32Array.from({ length: levels + 1 }, (_, level) => Math.min(1, (level ? level + 0.5 : 1 / 3) / levels))
  const weights = new Float32Array(count)
  let [next, bits, have] = [1 + lengths.length, 0, 0]
  const fill = () => {
    for (; have <= 16; have += 8) bits = (bits << 8) | (sent[next++] ?? 0)
  }
  const take = (width: number) => {
    have -= width
    const taken = bits >>> have
    bits &= (1 << have) - 1
    return taken
  }
  for (let place = 0; place < count; place++) {
    fill()
    const size = classOf[bits >>> (have - widest)]!
    take(lengths[size]!)
    fill()
    weights[place] = middles[size ? (1 << (size - 1)) | take(size - 1) : 0]!
  }
  return weights
}

/** The class that bits begin with, for all bits of the longest code, and its length. Codes are in order of length and class. */
function codeTable(lengths: Bytes): [Uint8Array, number] {
  const widest = Math.max(...lengths)
  const classOf = new Uint8Array(1 << widest)
  const order = [...lengths.keys()].filter((each) => lengths[each]).sort((one, two) => lengths[one]! - lengths[two]! || one - two)
  let start = 0
  for (const each of order) classOf.fill(each, start, (start += 1 << (widest - lengths[each]!)))
  return [classOf, widest]
}

let halves: Float32Array | undefined

/**
 * The numbers of IEEE 754 half precision: 1 sign bit, 5 exponent bits, 10 fraction bits; there is no NaN among them. Long
 * inputs have a million, so all 65,536 values are computed once.
 */
export function fromHalf(bits: Uint16Array): Float32Array {
  const known = (halves ??= Float32Array.from({ length: 1 << 16 }, (_, half) => {
    const [sign, exponent, fraction] = [half >> 15 ? -1 : 1, (half >> 10) & 31, half & 1023]
    if (exponent === 31) return sign * Infinity
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024))
  }))
  return Float32Array.from(bits, (half) => known[half]!)
}

/** 24-bit floats: float32 without its lowest 8 bits. */
function from24Bits(bytes: Bytes): Float32Array {
  const count = bytes.length / 3
  const whole = new Uint8Array(4 * count)
  for (let number = 0; number < count; number++) {
    whole[4 * number + 1] = bytes[3 * number]!
    whole[4 * number + 2] = bytes[3 * number + 1]!
    whole[4 * number + 3] = bytes[3 * number + 2]!
  }
  return new Float32Array(whole.buffer)
}
