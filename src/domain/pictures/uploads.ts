/**
 * Uploads: how a picture that is sent becomes one that is stored.
 *
 * Invariants: a process receives a bounded number of pictures at once, so that they take a bounded part of its memory: one of a caller,
 * a few of a network. It decodes one at a time. Nothing is received before its caller is known to be allowed.
 */
import { networkOf } from '../../platform/http/address.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { readPicture, type SentPicture } from '../../platform/http/pictures.ts'
import { invalidRequest, type Problem, RequestProblem } from '../../platform/http/problems.ts'
import { encodePicture, type PictureForm } from '../../platform/pictures/encoding.ts'
import { inspectPicture } from '../../platform/pictures/inspection.ts'
import { PictureError } from '../../platform/pictures/picture.ts'
import { overloaded, Places } from '../limits/places.ts'

/** How many pictures may be on their way, in a process and from a network. */
const places = new Places({ inProcess: 16, ofNetwork: 4 })
/** In milliseconds: how long a picture may take to arrive, and how long it may wait for its turn and be decoded. */
const timeouts = { arrival: 10_000, turn: 15_000 }

/** Resolves when the last decoding that began, or waits, is over. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Receives a picture, and makes the one that is stored.
 *
 * @param sender whose request it is: the user or the key
 * @throws Problem overloaded, too_large, unsupported_media_type, invalid_request; each says what is wrong; and what `readPicture` throws
 */
export async function receivePicture(
  { ip }: Pick<RequestContext, 'ip'>,
  sender: string,
  sent: Pick<SentPicture, 'body'> & Partial<SentPicture>,
  form: PictureForm,
): Promise<Buffer> {
  const giveBack = places.take({ whose: sender, network: networkOf(ip) })
  try {
    const picture = inspectPicture(await readPicture(sent.body, timeouts.arrival), sent.type)
    return await inTurn(() => encodePicture(picture, form))
  } catch (error) {
    throw error instanceof PictureError ? problemOf(error) : error
  } finally {
    giveBack()
  }
}

/**
 * Does a piece of work after those before it. What takes too long goes on until it has ended, and the next waits for it.
 *
 * @throws Problem overloaded
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  let isLate = false
  const result = last.then(() => {
    if (isLate) throw overloaded(5)
    return work()
  })
  last = result.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isLate = true
      reject(overloaded(5))
    }, timeouts.turn)
  })
  return Promise.race([result, late]).finally(() => clearTimeout(timer))
}

function problemOf({ fault, message: detail }: PictureError): Problem {
  if (fault === 'unsupported') return new RequestProblem('unsupported_media_type', { detail })
  if (fault === 'large') return new RequestProblem('too_large', { detail })
  return invalidRequest([faultOf('', fault === 'empty' ? 'required' : 'invalid_format', detail)])
}
