/** Serialization: writes answers by the schemas of their routes. */
import {
  type Options,
  type Serializer,
  type SerializerCompiler,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler'
import type { FastifyReply } from 'fastify'

/**
 * Compiles the answers of a route, each when it is first given. A route has a dozen, most of them refusals that are seldom given, and
 * compiling them all would be a third of a start.
 *
 * @param shared the schemas that others refer to, by `$id`
 */
export function buildSerializer(shared: unknown, options?: Options): SerializerCompiler {
  const compile = SerializerSelector()(shared, options)
  return (answer) => {
    let serialize: Serializer | undefined
    return (data) => {
      serialize ??= compile(answer)
      return serialize(data)
    }
  }
}

type Schema = Readonly<Record<string, unknown>>

/** The schemas of answers, by themselves, without what they require. */
const lenient = new WeakMap<object, Schema>()

/** Has an answer written by its schema, but for fields that it lacks: an older release, which knew fewer, may have made it. */
export function allowMissingFields(reply: FastifyReply): void {
  const { schema } = reply.request.routeOptions
  const own = (schema?.response as Readonly<Record<number, Schema>> | undefined)?.[reply.statusCode]
  if (!own) return
  const relaxed =
    lenient.get(own) ?? withoutRequired(own, reply.server.getSchemas() as Readonly<Record<string, Schema>>)
  lenient.set(own, relaxed)
  reply.serializer(reply.compileSerializationSchema(relaxed))
}

/** References are replaced by what they refer to, since that must not require anything either. */
function withoutRequired(schema: Schema, shared: Readonly<Record<string, Schema>>): Schema {
  const { $ref } = schema
  if (typeof $ref === 'string') return withoutRequired(shared[$ref.replace('#', '')] ?? {}, shared)
  const relax = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(relax)
    return typeof value === 'object' && value !== null ? withoutRequired(value as Schema, shared) : value
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => name !== '$id' && !(name === 'required' && Array.isArray(value)))
      .map(([name, value]) => [name, relax(value)]),
  )
}
