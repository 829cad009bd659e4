/** Pictures: well-made ones, and such as a decoder would choke on. */
import { randomBytes } from 'node:crypto'
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib'
import type { Answer, Client } from './client.ts'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** A chunk of a PNG. */
export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

interface PngOptions {
  readonly width?: number
  readonly height?: number
  readonly isInterlaced?: boolean
  /** Whether each pixel says how transparent it is. */
  readonly hasGlass?: boolean
  /** Chunks between the header and the pixels. */
  readonly extra?: readonly Buffer[]
  /** By default those of a red picture. */
  readonly pixels?: Buffer
}

/** A PNG with 8 bits for each of red, green and blue. */
export function pngOf({
  width = 2,
  height = 2,
  isInterlaced = false,
  hasGlass = false,
  extra = [],
  pixels,
}: PngOptions = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, hasGlass ? 6 : 2, 0, 0, isInterlaced ? 1 : 0], 8)
  const data = pixels ?? redPixels(width, height)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function redPixels(width: number, height: number): Buffer {
  const line = Buffer.concat([Buffer.of(0), Buffer.alloc(3 * width, Buffer.of(200, 40, 40))])
  return deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
}

/** A PNG of 512 × 512 pixels that no encoder makes small: each of them is transparent in another way. */
export function noise(): Buffer {
  const line = () => Buffer.concat([Buffer.of(0), randomBytes(512 * 4)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: 512 }, line)))
  return pngOf({ width: 512, height: 512, hasGlass: true, pixels })
}

export const aPicture = new Uint8Array(pngOf())

/** Zeros as zlib compresses them, which inflate to a gigabyte. */
export function bomb(): Buffer {
  const mebibytes = 1024
  const part = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH })
  const check = Buffer.alloc(4)
  check.writeUInt32BE(((((mebibytes * 1024 * 1024) % 65_521) << 16) | 1) >>> 0)
  return Buffer.concat([
    Buffer.of(0x78, 0x9c),
    ...Array.from({ length: mebibytes }, () => part),
    Buffer.of(3, 0),
    check,
  ])
}

/** Text in a PNG. */
export function textChunks(compressed: Buffer): Buffer[] {
  const [name, zero] = [Buffer.from('Comment\0'), Buffer.of(0)]
  return [
    chunk('zTXt', Buffer.concat([name, zero, compressed])),
    chunk('iTXt', Buffer.concat([name, Buffer.of(1, 0, 0, 0), compressed])),
  ]
}

/** The last scan of a JPEG once more, and once more. */
export function withScans(jpeg: Buffer, more: number): Buffer {
  const [last, end] = [jpeg.lastIndexOf(Buffer.of(0xff, 0xda)), jpeg.lastIndexOf(Buffer.of(0xff, 0xd9))]
  const scan = jpeg.subarray(last, end)
  return Buffer.concat([jpeg.subarray(0, end), ...Array.from({ length: more }, () => scan), jpeg.subarray(end)])
}

/** Uploads a picture. */
export function upload(
  client: Client,
  path: string,
  picture: Uint8Array = aPicture,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.put(path, picture, headers)
}
