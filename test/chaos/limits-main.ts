import { parseArgs } from 'node:util'
import { findPostgres } from '../support/postgres-server.js'
import { runLimits } from './limits.js'

/**
 * `npm run limits -- --minutes 10 --workers 4 --kill-every 120 --seed 1`: real commands with one key against a service
 * with the limits of the interface, for minutes of the wall; their clocks are up to five minutes off, one is killed now and
 * then and started again, and the service refuses a few requests for a second. Fails where a limit was ever exceeded, in a
 * calendar minute or in any sixty seconds, or less than 0.99 of what was allowed was sent: of all the time in which the service had
 * not told everybody to wait. Takes two and a half minutes more
 * than it judges. Needs `npm run build`.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    workers: { type: 'string', default: '4' },
    'kill-every': { type: 'string', default: '120' },
    'refused-submissions': { type: 'string', default: '0.0005' },
    'refused-polls': { type: 'string', default: '0.002' },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const programs = findPostgres()
if (programs === null) process.exit(1)
const result = await runLimits(programs, {
  seed: Number(values.seed),
  minutes: Number(values.minutes),
  workers: Number(values.workers),
  killEverySeconds: Number(values['kill-every']),
  refusedShares: {
    submissions: Number(values['refused-submissions']),
    polls: Number(values['refused-polls']),
  },
  say,
})
say(JSON.stringify(result, null, 1))
const isKept = [result.submissions, result.polls].every(
  ({ perMinute, mostInMinute, mostInWindow, sentShareOfAllowed }) =>
    mostInMinute <= perMinute && mostInWindow <= perMinute && sentShareOfAllowed >= 0.99,
)
say(isKept && result.endings.length === 0 ? 'kept' : 'NOT KEPT')
process.exitCode = isKept && result.endings.length === 0 ? 0 : 1
