/**
 * Pictures as bodies: `config.takesPicture`. The body is the picture itself.
 *
 * Invariant: nothing of it is read before the handler asks for it. So a handler first finds out whether the caller may.
 */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { mostBytes, type PictureType } from '../pictures/picture.ts'
import { faultOf } from './faults.ts'
import { hasBody, pictureTooLarge } from './media-types.ts'
import { Problem } from './problems.ts'
import { requestProblems } from './request-problems.ts'
import type { App } from './server.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body is a picture, which the handler reads by `pictureIn`. The route is registered in `takePictures`. */
    takesPicture?: true
  }
}

/** A picture that is on its way. */
export interface SentPicture {
  readonly type: PictureType
  readonly body: Readable
}

/** Registers routes whose bodies are left where they are. */
export async function takePictures(app: App, register: (scope: App) => void): Promise<void> {
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    register(scope)
  })
}

/** @returns the picture that a request sends; its type is undefined if there is no body */
export function pictureIn(request: FastifyRequest): Partial<SentPicture> & Pick<SentPicture, 'body'> {
  if (!hasBody(request)) return { body: request.raw }
  return { body: request.raw, type: request.headers['content-type']?.toLowerCase() as PictureType } // checkPictureHead let it pass
}

/**
 * Reads a body to its end. It does not destroy it, so that a refusal can still be sent.
 *
 * @param timeout how long it may take, in milliseconds
 * @throws Problem too_large, invalid_request with 408; or the error of a client that went away, before it was called or since
 */
export function readPicture(body: Readable, timeout: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (done: () => void) => {
      clearTimeout(timer)
      body.off('data', take).off('end', end).off('error', fail).off('close', leave).pause()
      done()
    }
    const take = (chunk: Buffer) => {
      length += chunk.length
      if (length > mostBytes) settle(() => reject(pictureTooLarge()))
      else chunks.push(chunk)
    }
    const end = () => settle(() => resolve(Buffer.concat(chunks)))
    const fail = (error: Error) => settle(() => reject(error))
    const leave = () => fail(new Error('The client went away before its picture was there.'))
    const timer = setTimeout(() => fail(pictureTooSlow()), timeout)
    if (body.readableEnded) return end()
    if (body.destroyed) return leave() // its 'close' may be over
    body.on('data', take).on('end', end).on('error', fail).on('close', leave)
  })
}

/** The refusal of a picture that does not arrive in time. */
export const latePicture = {
  status: 408,
  title: requestProblems.invalid_request.title,
  detail: 'The picture did not arrive in time. Send it again.',
} as const

function pictureTooSlow(): Problem {
  const errors = [faultOf('', 'invalid_format', latePicture.detail)]
  return new Problem('invalid_request', latePicture, { errors }, { connection: 'close' })
}
