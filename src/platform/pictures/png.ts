/**
 * PNG (W3C, Portable Network Graphics, third edition): its chunks, read before any of them is decoded.
 *
 * Invariant: what is passed on has no compressed chunk but the pixels, and a colour profile that was found to be small. A decoder may inflate
 * text to gigabytes before anybody asks for it.
 */
import { inflateSync } from 'node:zlib'
import { checkParts, damaged, type Undecoded, unsupported } from './picture.ts'

export const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** What pixels and their colours need. All of these are as long as they look. */
const needed = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'cHRM', 'gAMA', 'sRGB', 'cICP', 'sBIT'])
/** The most bytes of a colour profile. */
const mostProfile = 1024 * 1024
/** By the type of colour in the header. */
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** @throws PictureError for a damaged or animated one */
export function readPng(bytes: Buffer): Undecoded {
  const kept: Buffer[] = [pngSignature]
  let header: Buffer | undefined
  let hasProfile = false // one at most is inflated
  let chunks = 0
  for (let at = pngSignature.length; at + 12 <= bytes.length; ) {
    checkParts(++chunks)
    const length = bytes.readUInt32BE(at)
    const end = at + 12 + length
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (end > bytes.length || (header === undefined) !== (type === 'IHDR')) throw damaged()
    const data = bytes.subarray(at + 8, end - 4)
    if (type === 'IHDR') header = data
    if (type === 'acTL') throw unsupported('The picture is animated.')
    if (needed.has(type)) kept.push(bytes.subarray(at, end))
    if (type === 'iCCP' && !hasProfile) {
      hasProfile = true
      if (isSmallProfile(data)) kept.push(bytes.subarray(at, end))
    }
    if (type === 'IEND') return { ...sizeOf(header), bytes: Buffer.concat(kept) }
    at = end
  }
  throw damaged()
}

function sizeOf(header: Buffer | undefined): Omit<Undecoded, 'bytes'> {
  if (header?.length !== 13) throw damaged()
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, colour = 0, , , interlace] = header.subarray(8)
  const bytesOfPixel = (channels[colour] ?? 4) * (depth === 16 ? 2 : 1)
  return { width, height, memory: interlace === 0 ? 0 : width * height * bytesOfPixel }
}

/** Whether a chunk has a profile that is as small as profiles are. It is inflated no further than that. */
function isSmallProfile(data: Buffer): boolean {
  const nameEnd = data.indexOf(0)
  if (nameEnd < 1 || nameEnd > 79) return false
  try {
    return inflateSync(data.subarray(nameEnd + 2), { maxOutputLength: mostProfile }).length > 0
  } catch {
    return false
  }
}
