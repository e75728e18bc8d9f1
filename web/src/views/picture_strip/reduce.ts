/** Makes a picture that is over a limit smaller, as a JPEG on white, upright as its EXIF data says, in sRGB. */

const MOST_PIXELS = 250_000_000 // of a picture that a browser is asked to decode: four bytes each
const QUALITIES = [0.92, 0.8, 0.6]

/** The limits of a picture, and the texts about one that exceeds them. */
export interface Limits {
  limit: number // bytes
  pixels: number
  side: number // pixels of the longer side of a smaller picture
  words: { tooLarge: string; tooHeavy: string }
}

/** A picture within the limits, or the reason why it is refused. */
type Fitted = { file: File } | { refused: string }

/** The file, or a smaller picture of it if it has more than `limit` bytes or `pixels` pixels. */
export async function fittedPicture(file: File, limits: Limits): Promise<Fitted> {
  const fitted = await withPicture(file, (image) => fit(file, image, limits))
  // what the browser cannot read, the server may
  return fitted ?? (file.size <= limits.limit ? { file } : { refused: limits.words.tooHeavy })
}

/** Calls `use` with the picture of a file, not decoded yet; null if the browser cannot read it. */
async function withPicture<Result>(file: File, use: (image: HTMLImageElement) => Promise<Result>): Promise<Result | null> {
  const image = new Image()
  const url = URL.createObjectURL(file)
  try {
    await new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: reject, src: url }))
    return await use(image)
  } catch {
    return null
  } finally {
    URL.revokeObjectURL(url)
  }
}

async function fit(file: File, image: HTMLImageElement, { limit, pixels, side, words }: Limits): Promise<Fitted | null> {
  const { naturalWidth: width, naturalHeight: height } = image
  if (!width || !height) return null // a drawing without a size
  if (file.size <= limit && width * height <= pixels) return { file }
  if (width * height > MOST_PIXELS) return { refused: words.tooLarge }
  await image.decode()
  const canvas = document.createElement("canvas")
  ;[canvas.width, canvas.height] = reducedSize(width, height, side)
  const pen = canvas.getContext("2d")!
  pen.imageSmoothingQuality = "high"
  pen.fillStyle = "white"
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", quality))
    // the server reads from the name what the size of the picture was
    if (blob && blob.size <= limit) return { file: new File([blob], `reduced-from-${width}x${height}.jpg`) }
  }
  return null
}

/** Width and height of a picture whose longer side has at most `side` pixels. */
export function reducedSize(width: number, height: number, side: number): [width: number, height: number] {
  const scale = Math.min(1, side / Math.max(width, height))
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
}
