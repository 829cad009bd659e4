/** How the console is built (build.ts) and served while it is worked on (tools/dev.ts). */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { InlineConfig, Plugin } from 'vite'

/** Puts the styles of the console behind the body's content, which is then shown before they are there. No script runs before. */
const stylesLast: Plugin = {
  name: 'styles-last',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const styles = html.match(/ *<link rel="stylesheet" crossorigin [^>]*>\n/g) ?? []
      return styles.reduce((rest, link) => rest.replace(link, ''), html).replace(/^ *<\/body>/m, `${styles.join('')}$&`)
    },
  },
}

/** Puts theme/opening.ts before everything: a file of its own, which runs before the first paint. The policy lets nothing inline in. */
const openingFirst: Plugin = {
  name: 'opening-first',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: join(import.meta.dirname, 'theme/opening.ts'), name: 'opening' })
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const opening = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'opening')
      if (!opening) throw new Error('theme/opening.ts is not in the build')
      return [{ tag: 'script', attrs: { src: `/${opening.fileName}` }, injectTo: 'head-prepend' }]
    },
  },
}

export const viteConfig: InlineConfig = {
  configFile: false,
  root: import.meta.dirname,
  plugins: [react(), stylesLast, openingFirst],
  build: {
    outDir: 'dist',
    // The first that know light-dark(); what stands in for it elsewhere does not follow the scheme of a part of a page.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The policy of the pages lets nothing inline in: no `data:` pictures, no inline polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
}
