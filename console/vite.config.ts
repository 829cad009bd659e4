/** Vite's configuration, for building the console (build.ts) and for development (tools/dev.ts). */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { InlineConfig, Plugin } from 'vite'

/**
 * Loads theme/opening.ts first, before the first paint, with the names of the files that all pages inside have. A separate file, because
 * the policy refuses inline scripts. The first font is loaded before there is text: if it came later, the text would move.
 */
const openingFirst: Plugin = {
  name: 'opening-first',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: join(import.meta.dirname, 'theme/opening.ts'), name: 'opening' })
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const files = Object.values(bundle)
      const pathOf = (name: string) => files.filter((file) => file.fileName.startsWith(`assets/${name}-`)).map(toPath)
      const [opening] = pathOf('opening')
      if (!opening) throw new Error('theme/opening.ts is not in the build')
      const inside = ['strangers', 'inside'].flatMap(pathOf).join(' ')
      const fonts = pathOf('inter-first')
      return [
        { tag: 'script', attrs: { src: opening, 'data-inside': inside }, injectTo: 'head-prepend' },
        ...fonts.map((href) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href },
          injectTo: 'head' as const,
        })),
      ]
    },
  },
}

function toPath({ fileName }: { readonly fileName: string }): string {
  return `/${fileName}`
}

export const viteConfig: InlineConfig = {
  configFile: false,
  root: import.meta.dirname,
  plugins: [react(), openingFirst],
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
