/**
 * Why a call to another server failed.
 *
 * Invariant: an error names its reason and at most the status of the answer, and nothing else that the server has sent, so it can be logged.
 */

/**
 * `address`: the URL, its host or an address of its host may not be called. `dns`: the name has no address. `refused`: no connection is
 * possible. `reset`: the connection ended too early, or what came is no HTTP. `busy`: there was no place.
 */
type OutboundDetail = 'dns' | 'address' | 'refused' | 'reset' | 'tls' | 'timeout' | 'redirect' | 'too_large' | 'busy'

/** For callers to whom it does not matter why a server cannot be reached. */
const reasons = {
  dns: 'unreachable',
  address: 'forbidden',
  refused: 'unreachable',
  reset: 'unreachable',
  tls: 'unreachable',
  timeout: 'timeout',
  redirect: 'redirected',
  too_large: 'too_large',
  busy: 'busy',
} as const satisfies Record<OutboundDetail, string>

export class OutboundError extends Error {
  readonly reason: (typeof reasons)[OutboundDetail]
  readonly detail: OutboundDetail
  /** Of the answer, if it was a redirect. */
  readonly status: number | null

  constructor(detail: OutboundDetail, status: number | null = null) {
    super(`A call to another server failed: ${reasons[detail]}.`)
    this.name = 'OutboundError'
    this.reason = reasons[detail]
    this.detail = detail
    this.status = status
  }
}

const ofCodes: Readonly<Record<string, OutboundDetail>> = {
  ECONNREFUSED: 'refused',
  // A router, or this machine itself, says that there is no way there: as definite as a refusal, and as soon.
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EHOSTDOWN: 'refused',
  ENETDOWN: 'refused',
  EADDRNOTAVAIL: 'refused',
  EACCES: 'refused',
  EPERM: 'refused',
  // Nobody has answered the operating system. Our own time is usually over before.
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  HPE_HEADER_OVERFLOW: 'too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'too_large',
}

/** @param isSecuring whether TLS was being agreed upon: all errors that are not of the connection are then of TLS or of the certificate */
export function detailOf({ code = '' }: NodeJS.ErrnoException, isSecuring: boolean): OutboundDetail {
  const known = ofCodes[code]
  if (known !== undefined) return known
  return isSecuring || /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code) ? 'tls' : 'reset'
}
