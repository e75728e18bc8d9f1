// Makes a picture that is over a limit smaller, as a JPEG on white, upright as its EXIF data says, in sRGB.

const MOST_PIXELS = 250_000_000 // of a picture that a browser is asked to decode: four bytes each
const QUALITIES = [0.92, 0.8, 0.6]

// The picture of a file, not decoded yet; null if the browser cannot read it.
async function loadPicture(file, use) {
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

// The file, or a smaller picture of it if it has more than `limit` bytes or `pixels` pixels; otherwise why it is `refused`.
// The server reads from the name of a smaller picture what its size was.
async function fittedPicture(file, { limit, pixels, side, words }) {
  const fitted = await loadPicture(file, async (image) => {
    const { naturalWidth: width, naturalHeight: height } = image
    if (!width || !height) return null // a drawing without a size
    if (file.size <= limit && width * height <= pixels) return { file }
    if (width * height > MOST_PIXELS) return { refused: words.tooLarge }
    await image.decode()
    const scale = Math.min(1, side / Math.max(width, height))
    const canvas = Object.assign(document.createElement("canvas"), {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    })
    const pen = canvas.getContext("2d")
    pen.imageSmoothingQuality = "high"
    pen.fillStyle = "white"
    pen.fillRect(0, 0, canvas.width, canvas.height)
    pen.drawImage(image, 0, 0, canvas.width, canvas.height)
    for (const quality of QUALITIES) {
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality))
      if (blob?.size <= limit) return { file: new File([blob], `reduced-from-${width}x${height}.jpg`) }
    }
    return null
  })
  // what the browser cannot read, the server may
  return fitted ?? (file.size <= limit ? { file } : { refused: words.tooHeavy })
}
