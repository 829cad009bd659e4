// Usage: node tools/run.mjs <script> [arguments]. See launch.mjs.
import { launch } from './launch.mjs'

const [script, ...args] = process.argv.slice(2)
if (script) {
  await launch(script, args)
} else {
  console.error('usage: node tools/run.mjs <script> [arguments]')
  process.exitCode = 2
}
