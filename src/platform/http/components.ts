/**
 * Components of the OpenAPI document: parameters, headers and responses that several operations share are described once, and the
 * operations refer to them. A new operation then adds few lines, which name its refusals by their codes.
 */

/** A position in the document. */
interface Place {
  /** The name of the component that may take what is there. */
  readonly name: string
  readonly holder: Record<string, unknown>
  readonly key: string
}

/** Parts of an OpenAPI document, before any of them refers to a component. */
interface Document {
  readonly components?: Record<string, unknown>
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly responses: Record<string, Response>
}
interface Parameter {
  readonly name: string
  readonly schema: { readonly type?: unknown }
  explode?: boolean
}
interface Response {
  readonly headers?: Record<string, unknown>
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>
}

/** Moves what operations share into `components`. */
export function shareComponents(document: object): void {
  const { components = {}, paths = {} } = document as Document // as @fastify/swagger made it
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const responses = operations.map((operation) => operation.responses)
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    if (parameter.schema.type !== 'array') delete parameter.explode // @fastify/swagger gives it to every parameter of a query
  }
  Object.assign(components, {
    parameters: share('parameters', operations.flatMap(parametersOf), 2),
    headers: share('headers', responses.flatMap(Object.values).flatMap(headersOf), 2),
    responses: share('responses', responses.flatMap(refusalsOf), 1),
  })
}

/**
 * The definition that most places of a name have becomes the component of that name. Others stay where they are, but for a parameter that
 * several operations have elsewhere (`in`).
 *
 * @param least how many places must have it
 * @returns the components by name
 */
function share(kind: string, places: readonly Place[], least: number): Record<string, unknown> {
  const components: Record<string, unknown> = {}
  for (const [name, ofName] of [...Map.groupBy(places, (place) => place.name)].sort()) {
    const definitions = [...Map.groupBy(ofName, ({ holder, key }) => JSON.stringify(holder[key]))]
    const shared = definitions
      .filter(([, users]) => users.length >= least)
      .sort(([, some], [, others]) => others.length - some.length)
    for (const [text, users] of shared) {
      const definition = JSON.parse(text)
      if (name in components && definition.in === undefined) continue
      const id = freeName(components, name, definition.in)
      components[id] = definition
      for (const { holder, key } of users) holder[key] = { $ref: `#/components/${kind}/${id}` }
    }
  }
  return components
}

/** A path and a query may have parameters of the same name, and queries several of one name. */
function freeName(components: Readonly<Record<string, unknown>>, name: string, place: string): string {
  if (!(name in components)) return name
  let id = `${name}.${place}`
  for (let count = 2; id in components; count++) id = `${name}.${place}.${count}`
  return id
}

function parametersOf({ parameters = [] }: Operation): Place[] {
  const holder = parameters as unknown as Record<string, unknown> // an array is an object whose keys are indices
  return parameters.map(({ name }, index) => ({ name, holder, key: String(index) }))
}

function headersOf({ headers: holder = {} }: Response): Place[] {
  return Object.keys(holder).map((key) => ({ name: key, holder, key }))
}

/**
 * A refusal is named by the codes of its problems: what it says follows from them. Those of OAuth 2.0 also say their status, as does the
 * one of a body that arrives too late, and others whether browsers get a page.
 */
function refusalsOf(responses: Operation['responses']): Place[] {
  return Object.entries(responses).flatMap(([status, { content }]) => {
    const codes = Object.keys(content?.['application/problem+json']?.examples ?? {})
    const ofOAuth = Number(status) >= 400 ? Object.keys(content?.['application/json']?.examples ?? {}) : []
    const forPages = content && 'text/html' in content ? ['page'] : []
    const ofLate = status === '408' ? [status] : []
    const name = (codes.length > 0 ? [...forPages, ...ofLate, ...codes] : ['oauth', status, ...ofOAuth]).join('.')
    return codes.length + ofOAuth.length === 0 ? [] : [{ name, holder: responses, key: status }]
  })
}
