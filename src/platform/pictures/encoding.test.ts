import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp, { type Sharp } from 'sharp'
import { noise, pngOf } from '../../../test/pictures.ts'
import { encodePicture, type PictureForm } from './encoding.ts'
import { inspectPicture } from './inspection.ts'

async function encode(bytes: Buffer, form: PictureForm = 'avatar') {
  const made = await encodePicture(inspectPicture(bytes), form)
  return { made, ...(await sharp(made).metadata()) }
}

/** @returns the colour of a pixel, as `r g b a` */
async function colourAt(picture: Buffer, left: number, top: number): Promise<string> {
  const { data } = await sharp(picture)
    .extract({ left, top, width: 1, height: 1 })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data].join(' ')
}

const isNear = (colour: string, wanted: readonly number[]) =>
  colour.split(' ').every((each, index) => Math.abs(Number(each) - (wanted[index] ?? 255)) < 12)

const halves = (left: string, right: string): Sharp =>
  sharp({ create: { width: 600, height: 300, channels: 3, background: left } }).composite([
    { input: { create: { width: 300, height: 300, channels: 3, background: right } }, left: 300, top: 0 },
  ])

test('a picture of a person becomes a square of 256, cut from the middle', async () => {
  const { made, width, height, format } = await encode(await halves('#c80000', '#0000c8').png().toBuffer())

  assert.deepEqual([width, height, format], [256, 256, 'webp'])
  assert.ok(isNear(await colourAt(made, 20, 128), [200, 0, 0]))
  assert.ok(isNear(await colourAt(made, 236, 128), [0, 0, 200]))
})

test('a logo keeps its proportions in 512 × 512, and is not enlarged', async () => {
  const sizeOf = async (wide: number, high: number) => {
    const { width, height } = await encode(pngOf({ width: wide, height: high }), 'logo')
    return [width, height]
  }
  assert.deepEqual(await sizeOf(2000, 1000), [512, 256])
  assert.deepEqual(await sizeOf(1000, 2000), [256, 512])
  assert.deepEqual(await sizeOf(100, 40), [100, 40])
  assert.deepEqual(await sizeOf(10_000, 3), [512, 1])
  assert.deepEqual(await sizeOf(1, 1), [1, 1])
})

test('pictures of one pixel and of a few lines become squares, too', async () => {
  for (const [wide, high] of [
    [1, 1],
    [10_000, 3],
    [3, 10_000],
  ] as const) {
    const { width, height } = await encode(pngOf({ width: wide, height: high }))
    assert.deepEqual([width, height], [256, 256])
  }
})

test('metadata is gone, and what the camera held askew is upright', async () => {
  const camera = await halves('#c80000', '#0000c8')
    .jpeg()
    .withExif({ IFD0: { Copyright: 'Ann Archer' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  assert.ok((await sharp(camera).metadata()).exif)

  const { made, exif, icc, xmp, orientation } = await encode(camera)

  assert.deepEqual([exif, icc, xmp, orientation], [undefined, undefined, undefined, undefined])
  assert.ok(!made.includes('Ann Archer'))
  assert.ok(isNear(await colourAt(made, 128, 20), [200, 0, 0]), 'turned to the right: what was left is above')
})

test('CMYK, 16 bits, grey and transparency keep their looks', async () => {
  const red = sharp({ create: { width: 60, height: 60, channels: 3, background: '#c82828' } })
  const cmyk = await encode(await red.clone().toColourspace('cmyk').jpeg().toBuffer())
  assert.deepEqual([cmyk.space, cmyk.channels], ['srgb', 3])
  const deep = await encode(await red.clone().toColourspace('rgb16').png().toBuffer())
  assert.ok(isNear(await colourAt(deep.made, 128, 128), [200, 40, 40]))
  const grey = await encode(await red.clone().greyscale().png().toBuffer())
  assert.equal(grey.width, 256)
  const glass = await encode(
    await sharp({ create: { width: 60, height: 60, channels: 4, background: { r: 0, g: 200, b: 0, alpha: 0 } } })
      .png()
      .toBuffer(),
  )
  assert.ok(glass.hasAlpha)
  assert.equal((await colourAt(glass.made, 128, 128)).split(' ')[3], '0')
})

test('pixels that cannot be decoded are damaged', async () => {
  const picture = pngOf({ width: 300, height: 300, pixels: Buffer.alloc(50, 7) })
  await assert.rejects(encodePicture(inspectPicture(picture), 'avatar'), { name: 'PictureError', fault: 'damaged' })
})

test('a picture of noise is made with less quality, so that it is small enough for an import', async () => {
  const { made, width, height, hasAlpha } = await encode(noise(), 'logo')

  assert.deepEqual([width, height, hasAlpha], [512, 512, true])
  assert.ok(made.length < 250_000, String(made.length))
})
