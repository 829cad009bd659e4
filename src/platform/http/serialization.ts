/** Serialization: writes answers by the schemas of their routes. */
import {
  type Options,
  type Serializer,
  type SerializerCompiler,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler'

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
