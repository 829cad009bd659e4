/** Examples for the OpenAPI document, put together from those of the fields. */

/** The parts of a JSON Schema that an example follows from. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minimum?: number
}

interface Content {
  readonly 'application/json'?: { readonly schema?: Schema; example?: unknown }
}

/** The parts of an OpenAPI document that examples are made from, and for. */
export interface Described {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** Gives each body and each answer in JSON its example. Problems have theirs already. */
export function addExamples(document: Described): void {
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { requestBody, responses } of Object.values(operations)) {
      for (const part of [requestBody, ...Object.values(responses)]) {
        const media = part?.content?.['application/json']
        if (media?.schema) media.example = exampleOf(media.schema, document)
      }
    }
  }
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
