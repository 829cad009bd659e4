import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { chunk, pngOf } from '../../../test/pictures.ts'
import { inspectPicture } from './inspection.ts'

const red = sharp({ create: { width: 40, height: 30, channels: 3, background: '#c82828' } })
const [png, jpeg, progressive, webp, lossless, transparent] = await Promise.all([
  red.clone().png().toBuffer(),
  red.clone().jpeg().toBuffer(),
  red.clone().jpeg({ progressive: true }).toBuffer(),
  red.clone().webp().toBuffer(),
  red.clone().webp({ lossless: true }).toBuffer(),
  red.clone().ensureAlpha(0.5).webp({ exact: true }).toBuffer(),
])

test('the size of a picture is read from its header, in each format', () => {
  for (const [name, bytes] of Object.entries({ png, jpeg, progressive, webp, lossless, transparent })) {
    const { width, height } = inspectPicture(bytes)
    assert.deepEqual([width, height], [40, 30], name)
  }
})

test('what decodes only as a whole says how much memory that takes', () => {
  assert.deepEqual(
    [png, jpeg, pngOf({ width: 8, height: 8 })].map((bytes) => inspectPicture(bytes).memory),
    [0, 0, 0],
  )
  assert.equal(inspectPicture(webp).memory, 40 * 30 * 4)
  assert.equal(inspectPicture(pngOf({ width: 8, height: 8, isInterlaced: true })).memory, 8 * 8 * 3)
  assert.ok(inspectPicture(progressive).memory >= 40 * 30 * 2)
})

/** A GIF of one pixel. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64')
const animation = chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))

test('what is no still PNG, JPEG or WebP is refused, and the refusal says what it is', async () => {
  const frames = await sharp(Buffer.concat([Buffer.alloc(12, 1), Buffer.alloc(12, 200)]), {
    raw: { width: 2, height: 4, channels: 3, pageHeight: 2 },
  })
    .webp({ loop: 0, delay: [100, 100] })
    .toBuffer()
  const refused: readonly [Buffer, RegExp][] = [
    [gif, /GIF/],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /SVG/],
    [Buffer.from('\ufeff<?xml version="1.0"?><svg/>'), /SVG/],
    [Buffer.from('\0\0\0\x18ftypheic'), /HEIC/],
    [Buffer.from('%PDF-1.7'), /PDF/],
    [Buffer.from('a text'), /no picture/],
    [pngOf({ extra: [animation] }), /animated/],
    [frames, /animated/],
  ]
  for (const [bytes, message] of refused)
    assert.throws(() => inspectPicture(bytes), { name: 'PictureError', fault: 'unsupported', message })
  assert.throws(() => inspectPicture(png, 'image/jpeg'), { fault: 'unsupported', message: /is PNG.*says image\/jpeg/ })
})

test('a picture that is cut off anywhere is damaged', () => {
  for (const bytes of [png, jpeg, progressive, webp, lossless, transparent]) {
    for (const part of [0.1, 0.3, 0.5, 0.9, 0.99]) {
      const cut = bytes.subarray(0, Math.max(12, Math.floor(bytes.length * part)))
      assert.throws(() => inspectPicture(cut), { name: 'PictureError', fault: 'damaged' }, `${part} of ${bytes.length}`)
    }
  }
  assert.throws(() => inspectPicture(Buffer.alloc(0)), { fault: 'empty' })
})

test('bytes after the end of a picture are left out', () => {
  for (const bytes of [png, jpeg, webp]) {
    const passedOn = inspectPicture(Buffer.concat([bytes, Buffer.alloc(100, 1)])).bytes
    assert.ok(passedOn.length <= bytes.length)
  }
})
