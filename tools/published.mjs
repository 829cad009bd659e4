#!/usr/bin/env node
// The command `guildhall` of the published package (package.ts), in which everything is installed and built.
import { fileURLToPath } from 'node:url'
import { end, findNode, frugal, frugalEnv, nodeIsMissing, run } from './node.mjs'

const node = findNode()
if (node) {
  const [main, cache] = ['../src/main.js', '../.cache'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  // Node stores its compiled code for the next start, if it can write there.
  const env = { ...frugalEnv, NODE_COMPILE_CACHE: cache, ...process.env }
  end(
    await run(node, [...frugal, main, ...process.argv.slice(2)], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env,
    }),
  )
} else {
  console.error(`guildhall: ${nodeIsMissing}`)
  process.exitCode = 1
}
