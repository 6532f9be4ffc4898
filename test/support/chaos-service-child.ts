import { Chance } from '../simulation/chance.js'
import { fairWeather, FailingService, runBody } from '../simulation/failing-service.js'
import { serveFace, type Answered } from './service-face.js'

/**
 * The failing service over HTTP. It bills each submission, then answers late, or not at all; some it refuses, and some
 * never arrive. Prints its port. `GET /ledger` is what it billed. After `GET /hold/80`, the 80th run and later ones do
 * not end before `GET /release`. After `GET /late/3000`, each submission is answered three seconds after it is billed.
 * The arguments are the seed, and addresses to listen at besides 127.0.0.1.
 */
const [seed, ...addresses] = process.argv.slice(2)
const chance = new Chance(Number(seed))
const service = new FailingService(chance)
service.weather = {
  ...fairWeather,
  neverSent: 0.004,
  lostAnswer: 0.01,
  serverError: 0.004,
  rateLimited: 0.0005,
  runFails: 0,
  merged: 0,
  runMsMin: 50,
  runMsMax: 900,
  submissionsPerMinute: Infinity,
  pollsPerMinute: Infinity,
  requestMs: { min: 0, max: 150 },
}
let heldFrom = Infinity
let lateMs = 0
const transport = service.connect(() => false)
const done: Answered = { status: 200, body: {} }

const control = (path: string): Answered | null => {
  const [, command, value] = path.split('/')
  if (command === 'ledger')
    return { ...done, body: service.ledger.map((entry) => ({ ...entry, atMs: entry.startedAtMs })) }
  if (command === 'late') lateMs = Number(value)
  else if (command === 'hold') heldFrom = Number(value)
  else if (command === 'release') heldFrom = Infinity
  else return null
  return done
}

const face = await serveFace(
  {
    answer: ({ path }) => control(path) ?? done,
    faults: async ({ method, url, path, body }) => {
      if (control(path) !== null) return undefined
      const held = service.ledger.findIndex(({ runId }) => path.endsWith(`/${runId}`)) + 1
      const run = service.ledger[held - 1]
      if (run !== undefined && held >= heldFrom)
        return runBody(run, false, chance) as { status: number; body: object }
      const exchange = await transport.exchange({
        method: method as 'GET' | 'POST',
        path: url,
        headers: {},
        ...(method === 'POST' && { body }),
      })
      if (method === 'POST') await new Promise((resolve) => setTimeout(resolve, lateMs))
      return exchange.kind === 'no_reply' ? 'reset' : (exchange as { status: number; body: object })
    },
  },
  addresses,
)
process.stdout.write(`${face.port}\n`)
