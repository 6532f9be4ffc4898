import { parseArgs } from 'node:util'
import { findPostgres } from '../support/postgres-server.js'
import { runSame } from './same.js'

/**
 * `npm run same -- --jobs 8 --lookups 2400`: real commands with the same lookups, started at once on one checkpoint in
 * PostgreSQL; fails where a lookup was billed other than once, or a row is missing. Needs `npm run build`.
 */
const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '8' }, lookups: { type: 'string', default: '2400' } },
})
const programs = findPostgres()
if (programs === null) process.exit(1)
const result = await runSame(programs, Number(values.jobs), Number(values.lookups))
process.stdout.write(`${JSON.stringify(result, null, 1)}\n`)
process.exitCode =
  result.notOnce.length + result.broken.length + result.wrong.length === 0 &&
  result.billed === Number(values.lookups)
    ? 0
    : 1
