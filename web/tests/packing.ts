/** A payload as `pack` in views/components/component.py writes it. */
export function pack(header: unknown, ...blocks: ArrayBufferView[]): Uint8Array {
  const text = JSON.stringify(header)
  const bytes = new TextEncoder().encode(text + " ".repeat((4 - (text.length % 4)) % 4))
  const bodies = blocks.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength))
  const parts = [new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes, ...bodies]
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}
