/** Vite's configuration, for building the console (build.ts) and for development (tools/dev.ts). */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { InlineConfig, Plugin } from 'vite'

/** Moves the console's stylesheets after the content of the body, which is then painted before they load. No script runs before them. */
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

/**
 * Puts the stylesheets that pages load later after those of the body: the later of two equal rules holds, and components override those
 * that they are made of. Vite would put them into the head.
 */
const laterStylesLast: Plugin = {
  name: 'later-styles-last',
  apply: 'build',
  renderChunk(code) {
    const moved = code.replace('document.head.appendChild(link)', 'document.body.appendChild(link)')
    return moved === code ? null : { code: moved, map: null }
  },
}

/** Loads theme/opening.ts first, before the first paint. A separate file, because the policy refuses inline scripts. */
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
  plugins: [react(), stylesLast, laterStylesLast, openingFirst],
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
