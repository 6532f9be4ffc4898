/** CSV read and written again, and nothing else: what a pass through JavaScript costs. Argument: `CsvPass`. */
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { stringify } from 'csv-stringify'

export interface CsvPass {
  from: string
  to: string
}

const { from, to } = JSON.parse(process.argv[1] ?? '') as CsvPass
await pipeline(createReadStream(from), parse(), stringify(), createWriteStream(to))
