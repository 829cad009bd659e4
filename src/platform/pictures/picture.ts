/** Pictures: what may be sent as one, and what is wrong with others. */

/** The media types that are taken, each with the name of its format. */
export const pictureTypes = { 'image/png': 'PNG', 'image/jpeg': 'JPEG', 'image/webp': 'WebP' } as const
export type PictureType = keyof typeof pictureTypes

/** The most bytes of a picture that is sent. */
export const mostBytes = 5 * 1024 * 1024
/** The most pixels: the cameras of most phones make fewer. */
export const mostPixels = 25_000_000
/** The most bytes of a picture that can only be decoded as a whole. */
const mostMemory = 128 * 1024 * 1024

/** The most segments or chunks of a file. Programs write a few hundred into the most bytes, and each takes time to read. */
const mostParts = 10_000

/** A picture that is not taken. The message says why, and what to do. */
export class PictureError extends Error {
  override readonly name = 'PictureError'
  /** `empty`: there are no bytes. `unsupported`: another kind is needed. `large`: fewer pixels are needed. */
  readonly fault: 'empty' | 'damaged' | 'unsupported' | 'large'

  constructor(fault: PictureError['fault'], message: string) {
    super(message)
    this.fault = fault
  }
}

/** A picture before it is decoded: its size, and its bytes without all that no pixel needs. */
export interface Undecoded {
  readonly width: number
  readonly height: number
  /** The memory that its decoder needs for the whole of it; 0 if it decodes line after line. */
  readonly memory: number
  readonly bytes: Buffer
  /** Whether it is a WebP without any metadata. */
  readonly isBare?: boolean
}

/** @throws PictureError for more than can be decoded at little cost, and for a picture without pixels */
export function checkSize({ width, height, memory }: Omit<Undecoded, 'bytes'>): void {
  if (width === 0 || height === 0) throw damaged()
  if (width * height > mostPixels)
    throw new PictureError('large', `The picture has ${width} × ${height} pixels. At most 25 million are allowed.`)
  if (memory > mostMemory)
    throw new PictureError(
      'large',
      'The picture would need too much memory. Save it with fewer pixels, or neither interlaced nor progressive.',
    )
}

/** @throws PictureError for a file of more segments or chunks than programs write */
export function checkParts(count: number): void {
  if (count > mostParts)
    throw new PictureError('damaged', 'The picture has more than 10,000 segments or chunks. Save it again.')
}

export function damaged(): PictureError {
  return new PictureError('damaged', 'The picture is damaged or incomplete.')
}

export function unsupported(what: string): PictureError {
  return new PictureError('unsupported', `${what} Send a still picture as PNG, JPEG or WebP.`)
}
