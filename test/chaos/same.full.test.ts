import { expect, test } from 'vitest'
import { findPostgres } from '../support/postgres-server.js'
import { runSame } from './same.js'

const programs = findPostgres()

/** `npm run same` has thousands. */
test.skipIf(programs === null)(
  'eight jobs with the same lookups that are started at once pay for each once, and all write all answers',
  async () => {
    const { submitters, ...result } = await runSame(programs ?? '', 8, 120)
    expect(result).toEqual({ notOnce: [], billed: 120, broken: [], wrong: [] })
    expect(submitters).toBeGreaterThan(1)
  },
  120_000,
)
