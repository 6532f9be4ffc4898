import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { columnKinds } from '../src/pipeline/answers/column-kinds.js'
import { answerColumns } from '../src/pipeline/answers/columns.js'
import { answerLineVersion } from '../src/pipeline/answers/answer-line.js'
import { migrations } from '../src/pipeline/checkpoint/sqlite/schema.js'
import { openDuckDb, quoteSqlPath } from '../src/parquet/duckdb.js'
import { quoteSqlName, quoteSqlText } from '../src/core/text.js'
import { Chance } from '../test/simulation/chance.js'
import { makeCompanies, type Company } from './companies.js'
import { answerAll } from './known-answers.js'
import { csvLine, diskFolder } from './support.js'

/** Raised when what is made here changes: older caches are left alone. */
const worldVersion = 2
const companiesPerRow = 0.073

export interface RerunShape {
  rowCount: number
  /** Every row asks for a company of its own. */
  isDistinct: boolean
  /** Columns beyond those of every world. */
  extraColumnCount: number
}

/** An input, twice, and the answers to all it asks: in a checkpoint, and in a Parquet file for a peer to join. */
export interface RerunWorld {
  folder: string
  csv: string
  parquet: string
  checkpoint: string
  answers: string
  lookupCount: number
}

/** Nothing listens there: a run that asks for anything fails. */
export const deadBaseUrl = 'http://127.0.0.1:9'

/** The columns that a lookup is made of, and the answers are joined by. */
export const keyColumns = ['company_name', 'city', 'region', 'country'] as const

const csvTypes = {
  row_id: 'BIGINT',
  company_name: 'VARCHAR',
  city: 'VARCHAR',
  region: 'VARCHAR',
  country: 'VARCHAR',
  contact_email: 'VARCHAR',
  amount: 'DOUBLE',
  currency: 'VARCHAR',
  created_on: 'DATE',
  note: 'VARCHAR',
} as const

/** Made once for each number of rows, and kept in the folder for temporary files. */
export async function rerunWorld(shape: RerunShape): Promise<RerunWorld> {
  const { rowCount, isDistinct, extraColumnCount } = shape
  const version = `${worldVersion}.${answerLineVersion}.${migrations.length}`
  const name = `${rowCount}${isDistinct ? '-distinct' : ''}${extraColumnCount > 0 ? `-${extraColumnCount}` : ''}`
  const folder = join(diskFolder(), `enrich-bench-rerun-${version}-${name}`)
  const lookupCount = isDistinct ? rowCount : Math.max(1, Math.floor(rowCount * companiesPerRow))
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished)
    await makeWorld(worldIn(unfinished, lookupCount), shape)
    renameSync(unfinished, folder)
  }
  return worldIn(folder, lookupCount)
}

function worldIn(folder: string, lookupCount: number): RerunWorld {
  const path = (name: string) => join(folder, name)
  return {
    folder,
    csv: path('in.csv'),
    parquet: path('in.parquet'),
    checkpoint: path('checkpoint.sqlite'),
    answers: path('answers.parquet'),
    lookupCount,
  }
}

async function makeWorld(world: RerunWorld, shape: RerunShape): Promise<void> {
  const chance = new Chance(1)
  const companies = makeCompanies(world.lookupCount, chance)
  await writeLines(world.csv, inputLines(companies, shape, chance))
  const extra = extraNames(shape).map((name) => [name, 'VARCHAR'] as const)
  const columns = [...Object.entries(csvTypes), ...extra].map(
    ([name, type]) => `${name}: ${quoteSqlText(type)}`,
  )
  await copy(
    world,
    `SELECT * FROM read_csv(${quoteSqlPath(world.csv)}, header = true, columns = {${columns.join(', ')}})`,
    world.parquet,
  )
  const lines = join(world.folder, 'answers.ndjson')
  const stream = createWriteStream(lines)
  await answerAll({ path: world.checkpoint, scope: deadBaseUrl }, companies, async (company, line) => {
    const { name, city, region, country } = company
    const key = JSON.stringify({
      asked_company_name: name,
      asked_city: city,
      asked_region: region,
      asked_country: country,
    })
    if (!stream.write(`${key.slice(0, -1)},"a":${line}}\n`)) await once(stream, 'drain')
  })
  stream.end()
  await once(stream, 'close')
  const keys = keyColumns.map((name) => `asked_${name}`)
  const structure = keys.map((name) => `${name}: 'VARCHAR'`)
  const fields = answerColumns.map(({ name, kind }) => `${quoteSqlName(name)} ${columnKinds[kind].sqlType}`)
  structure.push(`a: ${quoteSqlText(`STRUCT(${fields.join(', ')})`)}`)
  const read = `read_json(${quoteSqlPath(lines)}, format = 'newline_delimited', columns = {${structure.join(', ')}})`
  await copy(world, `SELECT ${keys.join(', ')}, unnest(a) FROM ${read}`, world.answers)
  rmSync(lines)
}

const extraNames = ({ extraColumnCount }: RerunShape): string[] =>
  Array.from({ length: extraColumnCount }, (_, index) => `extra_${index}`)

function* inputLines(companies: readonly Company[], shape: RerunShape, chance: Chance): Generator<string> {
  const extra = extraNames(shape)
  yield csvLine([...Object.keys(csvTypes), ...extra])
  for (let row = 1; row <= shape.rowCount; row++) {
    const company = shape.isDistinct ? companies[row - 1] : chance.pick(companies)
    const { name, city, region, country } = company ?? chance.pick(companies)
    const day = String(chance.whole(1, 28)).padStart(2, '0')
    const email = `contact${chance.whole(1, 99_999)}@customer-${chance.whole(1, 9_999)}.example`
    const amount = (chance.whole(100, 9_999_999) / 100).toFixed(2)
    const note = `ordered ${chance.whole(1, 500)} pieces, delivery ${chance.pick(['open', 'done', 'late'])}`
    const date = `2026-${String(chance.whole(1, 12)).padStart(2, '0')}-${day}`
    const cells = extra.map((_, index) => `value ${(row * 7 + index) % 5}`)
    yield csvLine([String(row), name, city, region, country, email, amount, 'EUR', date, note, ...cells])
  }
}

async function writeLines(path: string, lines: Iterable<string>): Promise<void> {
  const stream = createWriteStream(path)
  let chunk = ''
  for (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < 1_000_000) continue
    if (!stream.write(chunk)) await once(stream, 'drain')
    chunk = ''
  }
  stream.end(chunk)
  await once(stream, 'close')
}

/** A wide table of many rows is made in one statement. */
const worldMemoryBytes = 4_000_000_000

async function copy({ folder }: RerunWorld, select: string, to: string): Promise<void> {
  const duckDb = await openDuckDb(folder, worldMemoryBytes)
  try {
    await duckDb.run(
      `COPY (${select}) TO ${quoteSqlText(to)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 8192)`,
    )
  } finally {
    duckDb.close()
  }
}
