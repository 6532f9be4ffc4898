import { basename, extname } from 'node:path'
import { parseTableAddress, readScheme } from '../connectors/address.js'
import { isTableAddress } from '../connectors/connectors.js'

/** Proposes an output for an input: a table of its database, or a file or an object in its folder. */
export function proposeOutput(input: string): string {
  if (isTableAddress(input)) return proposeTable(input)
  // A web server takes no output.
  const path = readScheme(input) === 'https' ? basename(new URL(input).pathname) : input
  if (path === '') return 'companies.enriched.csv'
  const unpacked = path.replace(/\.(?:gz|zst)$/i, '')
  const extension = extname(unpacked).toLowerCase()
  if (unpacked.includes('*')) {
    // The pattern must not match the output when the job runs again.
    const folder = unpacked.slice(0, unpacked.lastIndexOf('/', unpacked.indexOf('*')) + 1)
    return `${folder}companies.enriched${extension === '.parquet' ? '.csv' : '.parquet'}`
  }
  const stem = extension === '' ? unpacked : unpacked.slice(0, -extension.length)
  return `${stem}.enriched${writable.includes(extension) ? extension : '.parquet'}`
}

/** Formats of inputs that are also formats of outputs. */
const writable = ['.csv', '.tsv', '.parquet', '.ndjson', '.jsonl', '.xlsx']

function proposeTable(input: string): string {
  const { table } = parseTableAddress(input)
  // A query names no table.
  if (table === null) return `${input}#companies_enriched`
  return input.endsWith('"') ? `${input.slice(0, -1)}_enriched"` : `${input}_enriched`
}
