/** Inspection: what bytes are, as they say themselves, before a decoder sees them. */
import { jpegSignature, readJpeg } from './jpeg.ts'
import { checkSize, PictureError, type PictureType, pictureTypes, type Undecoded, unsupported } from './picture.ts'
import { pngSignature, readPng } from './png.ts'
import { isWebp, readWebp } from './webp.ts'

const readers = { 'image/png': readPng, 'image/jpeg': readJpeg, 'image/webp': readWebp } as const

/** Formats that people send, each by how it begins. */
const others = {
  GIF: /^GIF8/,
  SVG: /^(\xef\xbb\xbf)?\s*<(\?xml|!--|!doctype\s+svg|svg)/i,
  'HEIC or AVIF': /^.{4}ftyp/s,
  TIFF: /^(II\*\0|MM\0\*)/,
  BMP: /^BM/,
  PDF: /^%PDF/,
} as const

/**
 * @param said the media type that came with the bytes; undefined: none did
 * @returns the picture without all that no pixel needs
 * @throws PictureError
 */
export function inspectPicture(bytes: Buffer, said?: PictureType): Undecoded {
  if (bytes.length === 0) throw new PictureError('empty', 'A picture is needed as the body.')
  const type = typeOf(bytes)
  if (type === undefined) {
    const beginning = bytes.toString('latin1', 0, 256)
    const [name] = Object.entries(others).find(([, pattern]) => pattern.test(beginning)) ?? []
    throw unsupported(name ? `The picture is ${name}.` : 'The body is no picture that we know.')
  }
  if (said !== undefined && said !== type)
    throw new PictureError(
      'unsupported',
      `The body is ${pictureTypes[type]}, and the \`Content-Type\` says ${said}. Send it with \`Content-Type: ${type}\`.`,
    )
  const picture = readers[type](bytes)
  checkSize(picture)
  return picture
}

function typeOf(bytes: Buffer): PictureType | undefined {
  if (bytes.subarray(0, pngSignature.length).equals(pngSignature)) return 'image/png'
  if (bytes.subarray(0, jpegSignature.length).equals(jpegSignature)) return 'image/jpeg'
  return isWebp(bytes) ? 'image/webp' : undefined
}
