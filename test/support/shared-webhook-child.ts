import { enrich } from '../../src/app/enrich.js'

/**
 * A run on a shared checkpoint whose answers are sent to a standing receiver; it says each event that it tells of, and
 * when it has ended. Arguments: the checkpoint, the service, its key, the input, the output.
 */
const [checkpoint = '', baseUrl = '', apiKey = '', input = '', output = ''] = process.argv.slice(2)

const { summary } = enrich(
  {
    input: { paths: [input] },
    output: { path: output },
    checkpoint: { path: checkpoint },
    service: { baseUrl },
    webhook: { url: 'https://hooks.example.com/enrich' },
    limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
    polling: { firstAfterSeconds: 0, intervalSeconds: 0.01, deadlineMinutes: 5 },
  },
  { environment: { ENRICH_API_KEY: apiKey } },
)
process.stdout.write(`${JSON.stringify(await summary)}\n`)
