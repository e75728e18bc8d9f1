type Dtype = "float32" | "float24" | "float16" | "uint8"
type Sent = readonly [dtype: Dtype, shape: readonly number[], numbers: ArrayBufferView, causal?: true]

/** A payload as `pack` in views/viewer/payload.py writes it. */
export function pack(header: object, sent: Readonly<Record<string, Sent>> = {}): Uint8Array {
  const arrays = Object.entries(sent).map(([name, [dtype, shape, , causal]]) => ({ name, dtype, shape, causal }))
  const text = JSON.stringify({ ...header, arrays })
  const bytes = new TextEncoder().encode(text + " ".repeat((4 - (text.length % 4)) % 4))
  const bodies = Object.values(sent).map(([, , { buffer, byteOffset, byteLength }]) => new Uint8Array(buffer, byteOffset, byteLength))
  const parts = [new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes, ...bodies]
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

/** Numbers as float32 of this shape, for `pack`. */
export function floats(shape: readonly number[], ...numbers: number[]): Sent {
  return ["float32", shape, Float32Array.from(numbers)]
}
