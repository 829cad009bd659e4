/** Tokens: signed, for services that check them by themselves (verifier.ts); and the caller, for those that ask. */
import {
  type Answer,
  type Api,
  type Asked,
  ask,
  type CallerDetails,
  complete,
  type RequestOptions,
  signalOf,
} from './api.ts'

/** A signed token, and when it ends. */
export type NewToken = Answer<'createToken'>

export function tokensOf(api: Api) {
  return {
    /** Signs a token for the caller, with what they may do in the `organization` if you name one. */
    create<Permission extends string = string>(
      body: Asked<'createToken', Permission> = {},
      options: RequestOptions = {},
    ): Promise<NewToken> {
      return ask(api.POST('/api/tokens', { body: complete(body), ...signalOf(options) }))
    },
  }
}

type CallerOptions = RequestOptions & { readonly organization?: string }

export function callerOf<Permission extends string>(
  api: Api,
  options: CallerOptions,
): Promise<CallerDetails<Permission>> {
  // An empty name is refused by the service. Without this, a missing one would ask about no organization.
  const query = 'organization' in options ? { organization: options.organization ?? '' } : {}
  // Its type says which fields go together.
  return ask(api.GET('/api/caller', { params: { query }, ...signalOf(options) })) as Promise<CallerDetails<Permission>>
}
