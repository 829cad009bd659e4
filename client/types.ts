/** The types of the API, made from its document: `client/src/openapi.d.ts`, which the client and the console share. */

/** What of an OpenAPI document is looked at here. */
interface Document {
  readonly components: Record<string, unknown>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly responses: Record<
    string,
    { headers?: unknown; content?: Record<string, { example?: unknown; examples?: unknown }> }
  >
}

/** @returns what is asked for and what is answered where all is well; a refusal is a `Problem`, whatever was asked */
export async function describeTypes(document: object): Promise<string> {
  const { astToString, default: openapiTypes } = await import('openapi-typescript') // only here: it brings a whole compiler
  const shown = structuredClone(document) as Document // what our routes make
  for (const operations of Object.values(shown.paths)) {
    for (const { responses } of Object.values(operations)) leaveOutRefusals(responses)
  }
  for (const kind of ['responses', 'headers', 'examples']) delete shown.components[kind]
  return `/** Made by \`npm run docs\` from openapi.json. */\n${astToString(await openapiTypes(JSON.stringify(shown), { silent: true }))}`
}

function leaveOutRefusals(responses: Operation['responses']): void {
  for (const [status, response] of Object.entries(responses)) {
    if (!status.startsWith('2')) delete responses[status]
    delete response.headers
    for (const content of Object.values(response.content ?? {})) {
      delete content.example
      delete content.examples
    }
  }
}
