import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '../support/postgres-server.js'
import { kinds, patterns, rowCounts, tryTypes, type ColumnOutcome, type Kind } from './matrix.js'

/**
 * `npm run types -- --rows 300 --pattern cycle --source postgres --target parquet`: special values of every type over
 * all sources and targets, each in a process of its own. Without options, all of them; prints a table of the outcomes.
 * Fails if a process died by a signal, or a cell changed without a notice. Needs `npm run build`.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', multiple: true, default: rowCounts.map(String) },
    pattern: { type: 'string', multiple: true, default: [...patterns] },
    source: { type: 'string', multiple: true, default: [...kinds] },
    target: { type: 'string', multiple: true, default: [...kinds] },
  },
})
const programs = findPostgres()
const server = programs === null ? null : await startPostgres(programs, { fsync: false })
const isAvailable = (kind: Kind) => kind !== 'postgres' || server !== null
const pick = (names: readonly string[]) => kinds.filter((kind) => names.includes(kind) && isAvailable(kind))
const outcomes: ColumnOutcome[] = []
try {
  for (const source of pick(values.source))
    for (const target of pick(values.target))
      for (const pattern of patterns.filter((one) => values.pattern.includes(one)))
        for (const rowCount of values.rows.map(Number))
          outcomes.push(...(await tryTypes({ source, target, rowCount, pattern }, server)))
} finally {
  await server?.stop()
}
const severity = ['kept', 'notice', 'refused', 'CHANGED']
const rank = ({ outcome }: ColumnOutcome) => {
  const index = severity.indexOf(outcome)
  return index === -1 ? severity.length : index
}
const worst = new Map<string, ColumnOutcome>()
for (const one of outcomes) {
  const key = JSON.stringify([one.source, one.column, one.target])
  const known = worst.get(key)
  if (known === undefined || rank(one) > rank(known)) worst.set(key, one)
}
const targets = pick(values.target)
process.stdout.write(
  `| source | column | type | ${targets.join(' | ')} |\n|${'---|'.repeat(3 + targets.length)}\n`,
)
const rows = new Map([...worst.values()].map((one) => [JSON.stringify([one.source, one.column]), one]))
for (const { source, column, type } of rows.values()) {
  const cells = targets.map((target) => worst.get(JSON.stringify([source, column, target]))?.outcome ?? '')
  process.stdout.write(`| ${[source, column, type.replaceAll('|', '\\|'), ...cells].join(' | ')} |\n`)
}
const failed = [...worst.values()].filter((one) => rank(one) >= severity.indexOf('CHANGED'))
for (const { source, target, column, rowCount, pattern, outcome, detail } of failed)
  process.stdout.write(
    `${outcome}: ${source} to ${target}, ${column}, ${rowCount} rows (${pattern}): ${detail}\n`,
  )
for (const { source, target, column, detail } of [...worst.values()].filter(
  ({ outcome }) => outcome === 'refused',
))
  process.stdout.write(
    `refused: ${source} to ${target}, ${column}: ${detail.trim().split('\n').slice(-2).join(' ')}\n`,
  )
process.exitCode = failed.length === 0 ? 0 : 1
