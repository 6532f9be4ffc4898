import { enrich, UserError } from 'enrich'

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

try {
  const run = enrich(
    { input: { paths: ['fixtures/companies.csv'] }, output: { path: 'out.parquet' } },
    { signal: stop.signal },
  )
  for await (const event of run) {
    if (event.type === 'progress') console.log(`${event.progress.done} of ${event.progress.lookups}`)
  }
  const summary = await run.summary
  console.log(summary.rowsByStatus, summary.stop === null ? 'complete' : `stopped: ${summary.stop.kind}`)
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.code, error.message, error.hint)
}
