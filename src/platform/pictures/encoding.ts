/**
 * Encoding: makes a picture as it is stored from the pixels of another one: WebP, without metadata.
 *
 * Only bytes that inspection.ts has read get here. The decoder is loaded with the first of them: most services decode few.
 */
import type { Sharp, SharpConstructor } from 'sharp'
import { kept } from '../kept.ts'
import { damaged, mostPixels, type Undecoded } from './picture.ts'

/** Square for people; logos keep their proportions. */
export type PictureForm = 'avatar' | 'logo'

/** The most bytes of a picture that is made. Only noise needs more at the first of these qualities, and at the last less than 200 kB. */
const mostMade = 250_000
const qualities = [{ quality: 82 }, { quality: 40, alphaQuality: 40 }, { quality: 10, alphaQuality: 10 }] as const

/** The time that a decoder may take, in seconds. It looks at the clock between lines. */
const timeout = 10

const forms: Readonly<Record<PictureForm, (picture: Sharp) => Sharp>> = {
  avatar: (picture) => picture.resize(256, 256, { fit: 'cover' }),
  logo: (picture) => picture.resize(512, 512, { fit: 'inside', withoutEnlargement: true }),
}

/** The decoder, with the three formats that are taken and no others. */
const decoder = kept(async (): Promise<SharpConstructor> => {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] })
  return sharp
})

/** @throws PictureError for pixels that cannot be decoded */
export async function encodePicture({ bytes }: Pick<Undecoded, 'bytes'>, form: PictureForm): Promise<Buffer> {
  const sharp = await decoder()
  const picture = sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error', pages: 1 }).timeout({
    seconds: timeout,
  })
  try {
    return await encodeSmall(sharp, forms[form](picture.autoOrient()))
  } catch {
    throw damaged()
  }
}

/** Each quality after the first is made of the picture before, which is decoded sooner than what was sent. */
async function encodeSmall(sharp: SharpConstructor, picture: Sharp): Promise<Buffer> {
  const [first, ...others] = qualities
  let made = await picture.webp(first).toBuffer()
  for (const each of others) if (made.length > mostMade) made = await sharp(made).webp(each).toBuffer()
  return made
}

/**
 * The same for a picture that another service may have made like this. Then it keeps its bytes, since each encoding takes something away.
 *
 * @throws PictureError for pixels that cannot be decoded
 */
export async function encodeOrKeep(picture: Undecoded, form: PictureForm): Promise<Buffer> {
  const made = await encodePicture(picture, form)
  const isKept = picture.isBare === true && fits[form](picture) && picture.bytes.length <= mostMade
  return isKept ? picture.bytes : made
}

const fits: Readonly<Record<PictureForm, (picture: Undecoded) => boolean>> = {
  avatar: ({ width, height }) => width === 256 && height === 256,
  logo: ({ width, height }) => width <= 512 && height <= 512,
}
