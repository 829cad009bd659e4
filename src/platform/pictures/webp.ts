/** WebP (RFC 9649): its chunks, read before any of them is decoded. None of them is compressed but the pixels. */
import { checkParts, damaged, type Undecoded, unsupported } from './picture.ts'

export const isWebp = (bytes: Buffer) =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'

/** The chunks of pixels, and of their size. */
const ofPixels = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH'])

/** @throws PictureError for a damaged or animated one */
export function readWebp(bytes: Buffer): Undecoded {
  const end = bytes.length < 12 ? 0 : 8 + bytes.readUInt32LE(4)
  if (end > bytes.length || end < 20) throw damaged()
  let [width, height] = [0, 0]
  let hasPixels = false
  let isBare = true
  let chunks = 0
  for (let at = 12; at + 8 <= end; ) {
    checkParts(++chunks)
    const [type, length] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32LE(at + 4)]
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (at + 8 + length > end) throw damaged()
    const isAnimated = type === 'ANIM' || type === 'ANMF' || (type === 'VP8X' && ((data[0] ?? 0) & 2) !== 0)
    if (isAnimated) throw unsupported('The picture is animated.')
    const size = sizeIn(type, data)
    // The canvas and the pixels each have a size.
    if (size) [width, height] = [Math.max(width, size[0]), Math.max(height, size[1])]
    isBare &&= ofPixels.has(type)
    hasPixels ||= type === 'VP8 ' || type === 'VP8L'
    at += 8 + length + (length % 2)
  }
  if (!hasPixels) throw damaged()
  return { width, height, memory: width * height * 4, bytes: bytes.subarray(0, end), isBare }
}

function sizeIn(type: string, data: Buffer): readonly [width: number, height: number] | undefined {
  if (type !== 'VP8X' && type !== 'VP8 ' && type !== 'VP8L') return undefined
  if (data.length < (type === 'VP8L' ? 5 : 10)) throw damaged()
  if (type === 'VP8X') return [data.readUIntLE(4, 3) + 1, data.readUIntLE(7, 3) + 1]
  if (type === 'VP8 ') return [data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff]
  const bits = data.readUInt32LE(1)
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
}
