/** Examples for the OpenAPI document, put together from those of the fields. */

/** The parts of a JSON Schema that an example follows from. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maxLength?: number
}

interface Media {
  readonly schema?: Schema
  example?: unknown
  examples?: object
}
interface Content {
  readonly 'application/json'?: Media
  'text/csv'?: Media
  readonly 'application/x-www-form-urlencoded'?: Media
}

/** The parts of an OpenAPI document that examples are made from, and for. */
export interface Described {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly operationId?: string
  readonly requestBody?: { required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** Says that some operations can be sent without their body. @param ids their operation ids */
export function makeBodiesOptional(document: Described, ids: ReadonlySet<string | undefined>): void {
  for (const operations of Object.values(document.paths ?? {}))
    for (const { operationId, requestBody } of Object.values(operations))
      if (requestBody && ids.has(operationId)) requestBody.required = false
}

/** Says that some operations also answer CSV. @param ids their operation ids */
export function addCsv(document: Described, ids: ReadonlySet<string | undefined>): void {
  for (const operations of Object.values(document.paths ?? {}))
    for (const { operationId, responses } of Object.values(operations))
      if (ids.has(operationId) && responses['200']?.content)
        responses['200'].content['text/csv'] = { schema: { type: 'string', maxLength: 2_147_483_647 } }
}

/**
 * Gives each body, and each answer in JSON, its example. Problems have theirs already, and so have some bodies.
 *
 * @returns the examples of the shared schemas, to which the answers refer by the schema's name
 */
export function addExamples(document: Described): Record<string, object> {
  const shared: Record<string, object> = {}
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { requestBody, responses } of Object.values(operations)) {
      const { content: taken } = requestBody ?? {}
      const sent = taken?.['application/json'] ?? taken?.['application/x-www-form-urlencoded']
      if (sent?.schema) sent.example ??= exampleOf(leastOf(sent.schema), document)
      for (const { content } of Object.values(responses)) {
        const media = content?.['application/json']
        if (!media?.schema || media.examples) continue
        const name = media.schema.$ref?.split('/').at(-1)
        const value = exampleOf(media.schema, document)
        if (name === undefined) media.example = value
        else {
          shared[name] = { value }
          media.examples = { [name]: { $ref: `#/components/examples/${name}` } }
        }
      }
    }
  }
  return shared
}

/** What has to be sent, so that the example can be tried as it stands: the fields that are needed, or the first where none is. */
function leastOf({ properties = {}, required = [], ...schema }: Schema): Schema {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, properties[name] ?? {}])) }
}

function exampleOf(schema: Schema, document: Described): unknown {
  if (schema.$ref) return exampleOf(document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {}, document)
  if (schema.examples) return schema.examples[0]
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], document)
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, each]) => [name, exampleOf(each, document)]),
    )
  }
  if (schema.items) return [exampleOf(schema.items, document)]
  const types = [schema.type].flat()
  if (types.includes('null')) return null
  if (types.includes('integer')) return schema.minimum ?? 1
  if (types.includes('boolean')) return true
  return types.includes('object') ? {} : 'text'
}
