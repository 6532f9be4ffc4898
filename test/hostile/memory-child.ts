import { enrich, type EnrichConfig } from '../../src/index.js'
import { hurriedClock } from '../support/hurried-clock.js'

/**
 * Run by tsx in a process of its own: does the job of its argument twice, first against a server that behaves,
 * so that everything is loaded, and prints how far the second run made its memory grow, in MiB.
 */
const config = JSON.parse(process.argv[2] ?? '') as EnrichConfig
const say = (text: string) => process.stdout.write(`${text}\n`)

await enrich({ ...config, checkpoint: { path: `${config.checkpoint?.path ?? ''}.warm` } }).summary
say('warm')
const beforeKiB = process.resourceUsage().maxRSS
const { stop, answeredCount } = await enrich(config, { clock: hurriedClock(500) }).summary
const grownMiB = (process.resourceUsage().maxRSS - beforeKiB) / 1024
say(JSON.stringify({ grownMiB, stop, answeredCount }))
