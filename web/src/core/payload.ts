/** Reads the payload of a component: see `pack` in views/components/component.py. */

export type Bytes = Uint8Array<ArrayBufferLike>

/**
 * The header and the arrays of a payload: a little-endian uint32 with the length of a JSON header, the header, then the
 * arrays that it describes. The caller names the header's type; nothing checks it.
 */
export function unpack<Header>(bytes: Bytes): [Header, ArrayBuffer] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as Header
  return [header, Uint8Array.from(bytes.subarray(4 + length)).buffer] // a copy is aligned, as typed arrays need
}

/** Whether two payloads are the same. */
export function sameBytes(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, place) => byte === other[place])
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
