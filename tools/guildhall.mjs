#!/usr/bin/env node
// The command `guildhall`: like npm start, with the user's arguments and in the user's folder.
import { launch } from './launch.mjs'

await launch('src/main.ts', process.argv.slice(2))
