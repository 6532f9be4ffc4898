import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { reportBulk } from './bulk.js'
import { reportByIdentifier } from './by-identifier.js'
import { reportCheckpoint } from './checkpoint.js'
import { reportFields } from './fields.js'
import { reportLoad } from './load.js'
import { reportLoopback } from './loopback.js'
import { reportPlaces } from './places.js'
import { reportRerun } from './rerun.js'
import { reportReview } from './review.js'
import { reportScheduling } from './scheduling.js'
import { reportService } from './service.js'
import { reportShared } from './shared.js'
import { reportStages } from './stages.js'
import { reportStartUp } from './start-up.js'
import { reportThreads } from './threads.js'
import type { Say } from './support.js'
import { reportWatch } from './watch.js'
import { reportWhole } from './whole.js'

/**
 * `npm run bench`, or `npm run bench -- loopback`: each figure against its bound or a peer in the same run;
 * nothing here asserts a time. `--rows` is the size of the rerun, `--distinct` gives each of its rows an answer of its own, and
 * `--extra-columns` makes it wide; `--registry` is what `threads` and `by-identifier` ask, in place of one of made-up
 * companies, and `--queries` a file of labelled queries for the latter, once for each. `fields` reads `--registry` and
 * draws companies by `--seed`. `service` measures each registry and each number of threads (`--matchers`), each rate for
 * `--seconds`; `load` lasts `--minutes`. `bulk` requests `--names`, and compares with another built commit, whose folder is
 * `--against`.
 */
const { values, positionals } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    distinct: { type: 'boolean', default: false },
    'extra-columns': { type: 'string', default: '0' },
    registry: { type: 'string', multiple: true, default: [] },
    matchers: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '10' },
    queries: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    against: { type: 'string' },
    names: { type: 'string', default: '20000' },
  },
  allowPositionals: true,
})

// Commands run in folders of their own.
const registryPaths = values.registry.map((path) => resolve(path))

const parts: Readonly<Record<string, { title: string; report: (say: Say) => Promise<void> }>> = {
  scheduling: {
    title:
      'Scheduling, virtual time: 10,000 rows at 600 submissions and 100 polls a minute, runs of 1 to 5 minutes',
    report: reportScheduling,
  },
  stages: {
    title:
      'All stages on, virtual time: 70 % of rows matched; builds of 2 to 5 minutes, research of 10 to 20',
    report: reportStages,
  },
  loopback: {
    title: 'Scheduling over HTTP on loopback, with a checkpoint on disk, in hurried time',
    report: (say) => reportLoopback(say),
  },
  checkpoint: { title: 'The checkpoint without limits', report: reportCheckpoint },
  shared: {
    title: 'Processes that share a checkpoint on PostgreSQL, without limits',
    report: (say) => reportShared(say),
  },
  bulk: {
    title: 'Bulk work on the embedded service, without limits',
    report: (say) =>
      reportBulk(say, {
        against: values.against === undefined ? null : resolve(values.against),
        nameCount: Number(values.names),
      }),
  },
  service: {
    title: 'The service',
    report: (say) =>
      reportService(say, {
        registryPaths,
        matcherCounts: (values.matchers ?? ['0', '1', '2']).map(Number),
        seconds: Number(values.seconds),
      }),
  },
  load: {
    title: 'Mixed load on the service by ten accounts',
    report: (say) =>
      reportLoad(say, {
        registryPath: registryPaths[0] ?? null,
        flags: values.matchers === undefined ? [] : ['--matchers', values.matchers[0] ?? ''],
        minutes: Number(values.minutes),
      }),
  },
  watch: { title: 'The live page of a run', report: (say) => reportWatch(say) },
  review: { title: 'The review page: from a key to the next row', report: (say) => reportReview(say) },
  'start-up': { title: 'The start of a command, in CPU', report: reportStartUp },
  whole: { title: 'The whole, on the embedded service', report: (say) => reportWhole(say) },
  threads: {
    title: 'Names matched in threads',
    report: (say) => reportThreads(say, registryPaths[0] ?? null),
  },
  'by-identifier': {
    title: 'Questions by identifier',
    report: (say) =>
      reportByIdentifier(say, { registryPath: registryPaths[0] ?? null, queryPaths: values.queries }),
  },
  fields: {
    title: 'The share of filled fields, against the statements of the sources',
    report: (say) => reportFields(say, { registryPath: registryPaths[0] ?? null, seed: Number(values.seed) }),
  },
  places: {
    title: 'Tables and objects as input and output, against files and a plain copy',
    report: (say) => reportPlaces(say, Number(values.rows)),
  },
  rerun: {
    title: 'A run again over rows that are all answered',
    report: (say) =>
      reportRerun(say, {
        rowCount: Number(values.rows),
        isDistinct: values.distinct,
        extraColumnCount: Number(values['extra-columns']),
      }),
  },
}

const say: Say = (line) => process.stdout.write(`${line}\n`)
const unknown = positionals.filter((name) => !(name in parts))
if (unknown.length > 0)
  throw new Error(`no such part: ${unknown.join(', ')}; ${Object.keys(parts).join(', ')}`)
if (!(Number(values.rows) >= 1)) throw new Error('--rows is a number of rows')
if (!(Number(values.names) > 20)) throw new Error('--names is a number of names, more than 20')
if (!(Number(values['extra-columns']) >= 0)) throw new Error('--extra-columns is a number of columns')

say(
  `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.versions.node}`,
)
for (const [name, { title, report }] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  say(`\n${title}`)
  await report(say)
}
