/** Pictures that are small as files, and would take much memory or time to decode. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { bomb, chunk, pngOf, textChunks, withScans } from '../../../test/pictures.ts'
import { encodePicture } from './encoding.ts'
import { inspectPicture } from './inspection.ts'

const mebibyte = 1024 * 1024
/** The most memory that the process has had, in bytes. */
const peak = () => process.resourceUsage().maxRSS * 1024

test('text in a PNG that inflates to a gigabyte takes no memory', async () => {
  const compressed = bomb()
  const extra = Array.from({ length: 2 }, () => textChunks(compressed)).flat()
  const picture = pngOf({ extra })
  await encodePicture(inspectPicture(pngOf()), 'avatar') // loads the decoder
  const before = peak()

  const made = await encodePicture(inspectPicture(picture), 'avatar')

  assert.ok(peak() - before < 64 * mebibyte, `${(peak() - before) / mebibyte} MiB`)
  assert.equal((await sharp(made).metadata()).width, 256)
  assert.ok(inspectPicture(picture).bytes.length < 200, 'the text is not passed on')
})

test('profiles in a PNG that inflate to a gigabyte take no memory, and one at most is looked at', async () => {
  const profile = chunk('iCCP', Buffer.concat([Buffer.from('profile\0'), Buffer.of(0), bomb()]))
  const before = peak()

  const { bytes } = inspectPicture(pngOf({ extra: [profile, profile, profile] }))

  assert.ok(peak() - before < 64 * mebibyte, `${(peak() - before) / mebibyte} MiB`)
  assert.ok(bytes.length < 200)
})

test('a picture with too many pixels is refused by its header', async () => {
  const small = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
  const frame = small.indexOf(Buffer.of(0xff, 0xc0))
  small.writeUInt16BE(60_000, frame + 5)
  small.writeUInt16BE(60_000, frame + 7)
  const header = Buffer.alloc(10)
  header.writeUIntLE(16_000, 4, 3)
  header.writeUIntLE(16_000, 7, 3)
  const canvas = Buffer.concat([Buffer.from('VP8X'), Buffer.of(10, 0, 0, 0), header])
  const pixels = Buffer.concat([Buffer.from('VP8L'), Buffer.of(6, 0, 0, 0, 0x2f, 0, 0, 0, 0, 0)])
  const head = Buffer.concat([Buffer.from('WEBP'), canvas, pixels])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const webp = Buffer.concat([Buffer.from('RIFF'), length, head])
  const one = Buffer.from([0x78, 0x9c, 3, 0, 0, 0, 0, 1])

  for (const bytes of [small, webp, pngOf({ width: 60_000, height: 60_000, pixels: one })].values())
    assert.throws(() => inspectPicture(bytes), { name: 'PictureError', fault: 'large' })
  assert.throws(() => inspectPicture(pngOf({ width: 0xffff_ffff, height: 1, pixels: one })), { fault: 'large' })
  assert.throws(() => inspectPicture(pngOf({ width: 0, height: 5, pixels: one })), { fault: 'damaged' })
  const whole = pngOf({ width: 5000, height: 5000, isInterlaced: true, pixels: one })
  whole[24] = 16 // bits for each colour
  assert.throws(() => inspectPicture(whole), { fault: 'large', message: /memory/ })
})

test('a JPEG with more scans than programs write is refused before it is decoded', async () => {
  const jpeg = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .jpeg({ progressive: true })
    .toBuffer()
  const few = inspectPicture(withScans(jpeg, 2))
  assert.ok(few.memory > 0)
  for (const more of [24, 10_000])
    assert.throws(() => inspectPicture(withScans(jpeg, more)), { fault: 'damaged', message: /scans/ })
})

test('a JPEG that is not progressive, with a scan for each colour, takes the memory of all its coefficients', async () => {
  const jpeg = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .jpeg({ chromaSubsampling: '4:4:4' })
    .toBuffer()
  assert.equal(inspectPicture(jpeg).memory, 0)
  const [scan, end] = [jpeg.indexOf(Buffer.of(0xff, 0xda)), jpeg.lastIndexOf(Buffer.of(0xff, 0xd9))]
  const scanOf = (color: number) => Buffer.of(0xff, 0xda, 0, 8, 1, color, color === 1 ? 0 : 0x11, 0, 63, 0, 0)
  const parts = [1, 2, 3].flatMap((color) => [scanOf(color), Buffer.alloc(64)])
  const several = Buffer.concat([jpeg.subarray(0, scan), ...parts, jpeg.subarray(end)])
  assert.equal(inspectPicture(several).memory, 64 * 64 * 3 * 2)

  const frame = several.indexOf(Buffer.of(0xff, 0xc0))
  several.writeUInt16BE(5000, frame + 5)
  several.writeUInt16BE(5000, frame + 7)
  assert.throws(() => inspectPicture(several), { fault: 'large', message: /memory/ })
})

test('scans that are hidden between others are counted, or the picture is damaged', async () => {
  const jpeg = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .jpeg({ progressive: true })
    .toBuffer()
  const end = jpeg.lastIndexOf(Buffer.of(0xff, 0xd9))
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.of(0xff, 0xda)), end)
  const hidden = (between: Buffer) => Buffer.concat(Array.from({ length: 40 }, () => [between, scan]).flat())
  for (const between of [Buffer.of(0xff, 0xff, 0xff), Buffer.of(0xff, 0xfe, 0, 2), Buffer.of(0, 1, 2)]) {
    const bytes = Buffer.concat([jpeg.subarray(0, end), hidden(between), jpeg.subarray(end)])
    assert.throws(() => inspectPicture(bytes), { name: 'PictureError', fault: 'damaged' }, between.toString('hex'))
  }
})

test('a file of very many segments or chunks is damaged, and one of as many as programs write is not', async () => {
  const red = sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
  const png = await red.clone().png().toBuffer()
  const jpeg = await red.clone().jpeg().toBuffer()
  const webp = await red.clone().webp().toBuffer()
  const parts: readonly (readonly [Buffer, number, Buffer])[] = [
    [jpeg, 2, Buffer.of(0xff, 0xdd, 0, 2)],
    [jpeg, 2, Buffer.of(0xff, 0xfe, 0, 2)],
    [png, 33, chunk('tEXt', Buffer.alloc(0))],
    [webp, 12, Buffer.from('XMP \0\0\0\0')],
  ]
  for (const [bytes, at, part] of parts) {
    const inspect = (count: number) => {
      const many = Buffer.concat([
        bytes.subarray(0, at),
        ...Array.from({ length: count }, () => part),
        bytes.subarray(at),
      ])
      if (bytes === webp) many.writeUInt32LE(many.length - 8, 4)
      return inspectPicture(many)
    }
    assert.equal(inspect(2_000).width, 64)
    assert.throws(() => inspect(20_000), { name: 'PictureError', fault: 'damaged', message: /segments or chunks/ })
  }
})
