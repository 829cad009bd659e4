/** Generates the types of the API from its document into `client/src/openapi.d.ts`, which the client and the console share. */

/** The parts of an OpenAPI document that are used here. */
interface Document {
  readonly components: Record<string, unknown>
  webhooks?: unknown
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly responses: Record<
    string,
    { headers?: unknown; content?: Record<string, { example?: unknown; examples?: unknown }> }
  >
}

/** @returns types of requests and of successful answers in JSON; every refusal is a `Problem` */
export async function describeTypes(document: object): Promise<string> {
  const { astToString, default: openapiTypes } = await import('openapi-typescript') // imported only here, because it loads a whole compiler
  const shown = structuredClone(document) as Document // our routes generate this form
  for (const operations of Object.values(shown.paths)) {
    for (const { responses } of Object.values(operations)) leaveOutRefusals(responses)
  }
  for (const kind of ['responses', 'headers', 'examples', 'pathItems']) delete shown.components[kind]
  delete shown.webhooks // of events, the schemas are enough
  return `/** Made by \`npm run docs\` from openapi.json. */\n${astToString(await openapiTypes(JSON.stringify(shown), { silent: true }))}`
}

function leaveOutRefusals(responses: Operation['responses']): void {
  for (const [status, response] of Object.entries(responses)) {
    if (!status.startsWith('2')) delete responses[status]
    delete response.headers
    delete response.content?.['text/csv'] // lists are read page by page, as JSON
    for (const content of Object.values(response.content ?? {})) {
      delete content.example
      delete content.examples
    }
  }
}
