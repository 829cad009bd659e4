/** Reports tests to people: a line for each file, each failure in full, and the counts at the end. */
import { relative } from 'node:path'
import { Transform } from 'node:stream'
import { spec } from 'node:test/reporters'
