/**
 * JPEG (ITU-T T.81): its segments, read before any of them is decoded.
 *
 * Invariant: what is passed on has as many scans as programs write, and no more. A decoder goes over all pixels for each scan of a
 * progressive picture, though the scan may have a few bytes, and takes no time limit while it does. The number of segments is bounded, too.
 */
import { checkParts, damaged, PictureError, type Undecoded, unsupported } from './picture.ts'

export const jpegSignature = Buffer.from('\xff\xd8\xff', 'latin1')

/** libjpeg writes 10 for colours and 18 for CMYK; programs that try for the smallest file write a few more. */
const mostScans = 24

const [startOfImage, endOfImage, startOfScan, huffmanTables, quantization, restart] = [
  0xd8, 0xd9, 0xda, 0xc4, 0xdb, 0xdd,
]
const frames = { baseline: 0xc0, extended: 0xc1, progressive: 0xc2 }
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
/** What applications add: JFIF and Adobe, which say what the colours are; Exif, which says what is up; and profiles. */
const applications: Readonly<Record<number, string>> = {
  224: 'JFIF\0', // APP0
  225: 'Exif\0', // APP1
  226: 'ICC_PROFILE\0', // APP2
  238: 'Adobe', // APP14
}

interface Frame {
  readonly marker: number
  readonly data: Buffer
}

/** @throws PictureError for a damaged one, one with too many scans, and a kind that browsers do not show either */
export function readJpeg(bytes: Buffer): Undecoded {
  const kept: Buffer[] = [bytes.subarray(0, 2)]
  let frame: Frame | undefined
  let [segments, scans] = [0, 0]
  let isWhole = true // each scan has all colours
  for (let at = 2; ; ) {
    const marker = markerAt(bytes, at)
    if (marker === endOfImage) {
      if (!frame || scans === 0) throw damaged()
      kept.push(Buffer.of(0xff, endOfImage))
      return { ...sizeOf(frame, isWhole), bytes: Buffer.concat(kept) }
    }
    if (marker === 0xff) {
      at++ // a fill byte
      continue
    }
    checkParts(++segments)
    if (marker === startOfImage || at + 4 > bytes.length) throw damaged()
    const headEnd = at + 2 + bytes.readUInt16BE(at + 2)
    const data = bytes.subarray(at + 4, headEnd)
    if (headEnd < at + 4 || headEnd > bytes.length) throw damaged()
    if (isFrame(marker)) {
      if (!Object.values(frames).includes(marker)) throw unsupported('This kind of JPEG is not supported.')
      if (frame) throw damaged()
      frame = { marker, data }
    }
    if (marker === startOfScan && ++scans > mostScans)
      throw new PictureError(
        'damaged',
        `The picture has more than ${mostScans} scans. Save it as a JPEG that is not progressive.`,
      )
    if (marker === startOfScan && data[0] !== frame?.data[5]) isWhole = false
    const end = marker === startOfScan ? endOfScan(bytes, headEnd) : headEnd
    if (isNeeded(marker, data)) kept.push(bytes.subarray(at, end))
    at = end
  }
}

function markerAt(bytes: Buffer, at: number): number {
  const marker = bytes[at + 1]
  if (bytes[at] !== 0xff || marker === undefined || marker === 0) throw damaged()
  return marker
}

/** @returns where the next marker is: pixels have no byte 0xff but before a zero or a restart */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] as number // the condition has just held
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at
  }
  throw damaged()
}

function isNeeded(marker: number, data: Buffer): boolean {
  if (isFrame(marker) || [startOfScan, huffmanTables, quantization, restart].includes(marker)) return true
  const name = applications[marker]
  return name !== undefined && data.toString('latin1', 0, name.length) === name
}

function sizeOf({ marker, data }: Frame, isWhole: boolean): Omit<Undecoded, 'bytes'> {
  if (data.length < 6) throw damaged()
  const [height, width, count = 0] = [data.readUInt16BE(1), data.readUInt16BE(3), data[5]]
  if (data.length < 6 + 3 * count || count === 0) throw damaged()
  const factors = Array.from({ length: count }, (_, index) => data[7 + 3 * index] as number) // the length was checked
  const [across, down] = [factors.map((each) => each >> 4), factors.map((each) => each & 15)]
  if ([...across, ...down].some((each) => each < 1 || each > 4)) throw damaged()
  const parts = across.map((each, index) => (each * (down[index] ?? 1)) / (Math.max(...across) * Math.max(...down)))
  const share = parts.reduce((sum, each) => sum + each, 0)
  // Two bytes for each coefficient, all of which a decoder keeps until the last scan, if there may be several.
  const isKept = marker === frames.progressive || !isWhole
  return { width, height, memory: isKept ? Math.ceil(width * height * share * 2) : 0 }
}
