/** GitHub: who signed in is read from its API, because it has no ID tokens. */
import { type Client, customFetch, processAuthorizationCodeResponse } from 'oauth4webapi'
import { ProviderFailure } from './failures.ts'
import type { GitHubKind } from './kinds.ts'
import type { callsThrough, Metadata } from './metadata.ts'
import type { toPerson } from './proven-person.ts'

type Calls = ReturnType<typeof callsThrough>

export function gitHubMetadata({ callbackIssuer, authorizationUrl, tokenUrl }: GitHubKind): Metadata {
  return {
    issuer: callbackIssuer,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  }
}

/**
 * @param answer of the token endpoint
 * @throws ProviderFailure bad_client, bad_token
 */
export async function readGitHubPerson(
  kind: GitHubKind,
  metadata: Metadata,
  client: Client,
  answer: Response,
  calls: Calls,
): Promise<Parameters<typeof toPerson>[0]> {
  await checkAnswer(answer.clone())
  const { access_token: token } = await processAuthorizationCodeResponse(metadata, client, answer)
  const user = (await read(`${kind.apiUrl}/user`, token, calls)) as { id?: unknown; name?: unknown } | null
  if (!Number.isSafeInteger(user?.id)) throw new ProviderFailure('bad_token')
  const emails = await read(`${kind.apiUrl}/user/emails`, token, calls)
  const primary = Array.isArray(emails)
    ? emails.find((each) => each?.primary === true && each.verified === true)
    : undefined
  return { issuer: kind.issuer, subject: `${user?.id}`, email: primary?.email, emailBelieved: true, name: user?.name }
}

/** GitHub answers errors of its token endpoint with status 200. */
async function checkAnswer(answer: Response): Promise<void> {
  const body = (await answer.json()) as { error?: unknown } | null
  const isOurs = body?.error === 'incorrect_client_credentials' || body?.error === 'redirect_uri_mismatch'
  if (body?.error) throw new ProviderFailure(isOurs ? 'bad_client' : 'bad_token')
}

/** @returns the JSON of the API; null if the person or the app's settings do not allow to read it */
async function read(url: string, token: string, calls: Calls): Promise<unknown> {
  const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${token}`, 'user-agent': 'Guildhall' }
  const answer = await calls[customFetch](url, { headers })
  return answer.status === 200 ? answer.json() : null
}
