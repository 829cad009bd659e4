/** Vite's configuration, for building the console (build.ts) and for development (tools/dev.ts). */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { InlineConfig, Plugin, Rollup } from 'vite'
import { noticesOf } from '../tools/notices.ts'

/**
 * Loads theme/opening.ts first, before the first paint. A separate file, because the policy refuses inline scripts. The first font is
 * loaded before there is text: if it came later, the text would move.
 */
const openingFirst: Plugin = {
  name: 'opening-first',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: join(import.meta.dirname, 'theme/opening.ts'), name: 'opening' })
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle }) {
      const [opening] = findFiles(bundle, 'opening')
      if (!opening) throw new Error('theme/opening.ts is not in the build')
      return [
        { tag: 'script', attrs: { src: opening }, injectTo: 'head-prepend' },
        ...findFiles(bundle, 'inter-first').map((href) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href },
          injectTo: 'head' as const,
        })),
      ]
    },
  },
}

/** Puts the licences of all packages beside what is made from them, and their address into the page. */
const licencesBeside: Plugin = {
  name: 'licences-beside',
  apply: 'build',
  generateBundle(_options, bundle) {
    const source = noticesOf('console', Object.values(bundle), import.meta.dirname)
    this.emitFile({ type: 'asset', name: 'licences.txt', source })
  },
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) =>
      findFiles(bundle, 'licences').map((href) => ({ tag: 'link', attrs: { rel: 'license', href }, injectTo: 'head' })),
  },
}

function findFiles(bundle: Rollup.OutputBundle = {}, name: string): string[] {
  return Object.keys(bundle)
    .filter((file) => file.startsWith(`assets/${name}-`))
    .map((file) => `/${file}`)
}

export const viteConfig: InlineConfig = {
  configFile: false,
  root: import.meta.dirname,
  plugins: [react(), openingFirst, licencesBeside],
  build: {
    outDir: 'dist',
    // The first browsers with light-dark(). Its fallback does not follow the color scheme of a part of a page.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The policy of the pages refuses everything inline: `data:` pictures, an inline polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700, // weight.test.ts bounds what is loaded, in fewer and larger files than Vite expects
  },
}
