/** A file as a picture: read by the browser, and made small before it is sent. */

/** The most pixels of a side: the service stores less. */
const longest = 1024

/** The types that the service takes. The browser may be able to read others. */
const taken = ['image/png', 'image/jpeg', 'image/webp']

/** The most bytes of a file: reading more would take the memory of a phone. */
const mostBytes = 64 * 1024 * 1024

/** Why a file cannot be used: it is no picture, or SVG; it is damaged; it is too large. */
type Fault = 'wrongType' | 'unreadable' | 'tooLarge'

export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture'
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault)
    this.fault = fault
  }
}

/** A picture that was chosen. */
export interface ChosenPicture {
  readonly canvas: HTMLCanvasElement
  /** What is sent: a few hundred kilobytes, upright, and without metadata. */
  readonly blob: Blob
}

/**
 * Reads whatever the browser can show, and the first frame of what moves.
 *
 * @throws UnreadablePicture
 */
export async function readPictureFile(file: Blob): Promise<ChosenPicture> {
  if (file.size > mostBytes) throw new UnreadablePicture('tooLarge')
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new UnreadablePicture(taken.includes(file.type) ? 'unreadable' : 'wrongType')
  })
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (!context) throw new UnreadablePicture('unreadable')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  // A browser that cannot write WebP writes PNG.
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
  if (!blob) throw new UnreadablePicture('unreadable')
  return { canvas, blob }
}
