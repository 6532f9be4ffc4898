import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Resolution } from '../src/contract/result.js'
import { createExpectedCompanies, readLabelledQueries } from '../src/registry/evaluate/labelled-query.js'
import { importRegister } from '../src/registry/load.js'
import { openRegistry, type WritableRegistry } from '../src/registry/registry.js'
import { Chance } from '../test/simulation/chance.js'
import { leiOf } from '../test/support/made-identifiers.js'
import { makeCompanies } from './companies.js'
import { csvLine, diskFolder, grouped, type Say } from './support.js'

const companyCount = 90_000
const drawnPerKind = 1_000

interface Deps {
  /** In place of one of made-up companies. */
  readonly registryPath: string | null
  /** Files of labelled queries: how people write the names of companies that the registry holds. */
  readonly queryPaths: readonly string[]
}

/**
 * What a question by identifier is answered with, against the registry's own rows: identifiers of each kind as they are
 * held and as people write them, ones that nobody bears, and identifiers beside names that are and are not the holder's.
 */
export async function reportByIdentifier(say: Say, { registryPath, queryPaths }: Deps): Promise<void> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-identifiers-'))
  const path = registryPath ?? (await makeRegistry(folder))
  // Not read-only: a registry of an earlier version gets its index.
  const registry = openRegistry(path)
  try {
    const drawn = (['lei', 'cik', 'registration_id'] as const).map((type) => draw(registry, type))
    say(`  ${grouped(registry.info().entityCount)} companies`)
    for (const bearers of drawn) reportBearers(say, registry, bearers)
    const bearers = drawn.flat()
    reportNobodys(say, registry, bearers)
    const registered = bearers.map((bearer) => ({ name: bearer.legalName, bearer }))
    reportNames(say, registry, 'the registered name', registered, bearers)
    for (const queryPath of queryPaths) {
      const named = await namedIn(registry, queryPath)
      reportNames(say, registry, `names of ${queryPath.replace(/^.*\//, '')}`, named, bearers)
    }
  } finally {
    registry.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeRegistry(folder: string): Promise<string> {
  const csv = join(folder, 'companies.csv')
  const lines = makeCompanies(companyCount, new Chance(1)).map(({ name, city, region, country }, at) => {
    const prefix = at % 9 === 0 ? 'SC' : ''
    const number = prefix + String(at + 1).padStart(8 - prefix.length, '0')
    const numbered = at % 3 === 0 ? [number, 'gb'] : ['', '']
    const status = at % 8 === 0 ? 'inactive' : 'active'
    const lei = at % 3 === 1 ? leiOf(at) : ''
    const cik = at % 3 === 2 ? String(at) : ''
    return csvLine([`c${at}`, name, city, region, country, status, ...numbered, lei, cik])
  })
  writeFileSync(
    csv,
    ['id,name,city,region,country,status,registration_id,jurisdiction,lei,cik', ...lines, ''].join('\n'),
  )
  const registry = join(folder, 'registry.sqlite')
  await importRegister(registry, { format: 'csv', path: csv, idType: 'id', sourceName: 'bench' })
  return registry
}

type Drawn = 'lei' | 'cik' | 'registration_id'

/** An identifier that a registration bears, and who that is. */
interface Bearer {
  readonly type: Drawn
  readonly value: string
  readonly country: string
  readonly entityId: string
  readonly legalName: string
}

interface NamedBearer {
  readonly name: string
  readonly bearer: Bearer
}

const selectBearers = `
  SELECT DISTINCT i.type, i.value, upper(substr(i.jurisdiction, 1, 2)) AS country, e.id AS entityId,
    l.legal_name AS legalName
  FROM identifiers i JOIN legal_entities l ON l.number = i.legal_entity_number
  JOIN entities e ON e.number = l.entity_number `

/** From all over the registry, always the same ones; nothing but zeros is no number. */
function draw({ database }: WritableRegistry, type: Drawn): Bearer[] {
  const all = database
    .prepare<[string], Bearer>(`${selectBearers} WHERE i.type = ? AND i.value GLOB '*[^0]*' ORDER BY i.value`)
    .all(type)
  const step = Math.max(1, all.length / drawnPerKind)
  return Array.from(
    { length: Math.min(drawnPerKind, all.length) },
    (_, at) => all[Math.floor(at * step)],
  ).filter((bearer) => bearer !== undefined)
}

const labels = { lei: 'LEI', cik: 'CIK', registration_id: 'company number' } as const

function textOf({ type, country }: Bearer, value: string): string {
  return type === 'registration_id' && country !== ''
    ? `${labels[type]} ${country} ${value}`
    : `${labels[type]} ${value}`
}

/** What somebody may write in place of an identifier as it is held. */
const writings: Readonly<Record<Drawn, Readonly<Record<string, (value: string) => string>>>> = {
  lei: { 'in lower case': (value) => value.toLowerCase() },
  cik: { 'without zeros in front': (value) => value.replace(/^0+/, '') },
  registration_id: {
    'in lower case': (value) => value.toLowerCase(),
    'without zeros in front': (value) => value.replace(/^([A-Z]*)0+(?=\d+[A-Z]?$)/, '$1'),
    'closed up': (value) => value.replace(/[\s./-]/g, ''),
  },
}

interface Verdict {
  readonly isRight: boolean
  readonly isWrong: boolean
}

/** Right: exactly that company, at 99. What is no company is answered as a candidate, by its name. */
function judge(answer: Resolution, { entityId, legalName }: Bearer): Verdict {
  const named = answer.entity?.id ?? null
  const isIt = named === entityId || answer.candidate?.legal_name === legalName
  return {
    isRight:
      isIt && answer.match_confidence === 99 && (answer.status === 'matched' || answer.entity === null),
    isWrong: answer.status === 'matched' && named !== entityId,
  }
}

function ask(registry: WritableRegistry, name: string): Resolution {
  return registry.resolve({ name, location: null, context: null })
}

function reportBearers(say: Say, registry: WritableRegistry, bearers: readonly Bearer[]): void {
  const [first] = bearers
  if (first === undefined) return
  const forms = { 'as it is held': (value: string) => value, ...writings[first.type] }
  for (const [how, write] of Object.entries(forms)) {
    const times: number[] = []
    const verdicts = bearers.map((bearer) => {
      const text = textOf(bearer, write(bearer.value))
      const fromMs = performance.now()
      const answer = ask(registry, text)
      times.push(performance.now() - fromMs)
      return judge(answer, bearer)
    })
    const { median, late } = spreadOf(times)
    say(
      `  ${labels[first.type]}, ${how}: ${count(verdicts, 'isRight')} of ${grouped(bearers.length)} exactly that company at 99, ` +
        `${count(verdicts, 'isWrong')} wrong; ${median} ms each, 1 of 100 over ${late} ms`,
    )
  }
}

const count = (verdicts: readonly Verdict[], key: keyof Verdict): string =>
  grouped(verdicts.filter((verdict) => verdict[key]).length)

function spreadOf(times: number[]): { median: string; late: string } {
  times.sort((a, b) => a - b)
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2)
  return { median: at(0.5), late: at(0.99) }
}

/** Check digits that are wrong, and identifiers that nobody bears: no company is the answer. */
function reportNobodys(say: Say, registry: WritableRegistry, bearers: readonly Bearer[]): void {
  const known = new Set(bearers.map(({ value }) => value))
  const wrongDigits = bearers
    .filter(({ type }) => type === 'lei')
    .map(({ value }) => `LEI ${value.slice(0, 19)}${(Number(value.slice(19)) + 1) % 10}`)
  const unknown = bearers.map((bearer, at) => {
    if (bearer.type === 'lei') return `LEI ${leiOf(900_000_000 + at)}`
    const digits = String(9_100_000_000 + at)
    return textOf(bearer, known.has(digits) ? '0' : digits)
  })
  for (const [what, texts] of [
    ['LEIs of wrong check digits', wrongDigits],
    ['identifiers that nobody bears', unknown],
  ] as const) {
    const named = texts.filter((text) => {
      const { entity, candidate } = ask(registry, text)
      return entity !== null || candidate !== null
    })
    say(`  ${what}: ${grouped(named.length)} of ${grouped(texts.length)} answered with a company`)
  }
}

/** Beside a name that is the holder's, and beside one of somebody else. */
function reportNames(
  say: Say,
  registry: WritableRegistry,
  what: string,
  named: readonly NamedBearer[],
  bearers: readonly Bearer[],
): void {
  const chance = new Chance(7)
  const own = named.map(({ name, bearer }) =>
    judge(ask(registry, `${name} (${textOf(bearer, bearer.value)})`), bearer),
  )
  const strangers = named.flatMap(({ name, bearer }) => {
    const other = chance.pick(bearers)
    return other.entityId === bearer.entityId ? [] : [`${name} (${textOf(other, other.value)})`]
  })
  const matched = strangers.filter((text) => ask(registry, text).status === 'matched')
  say(
    `  beside ${what}: ${count(own, 'isRight')} of ${grouped(own.length)} exactly that company at 99, ${count(own, 'isWrong')} ` +
      `wrong; beside that of another company: ${grouped(strangers.length - matched.length)} of ${grouped(strangers.length)} not matched`,
  )
}

/** The first company that a query expects, by an identifier of it, under the name that the query asks by. */
async function namedIn(registry: WritableRegistry, path: string): Promise<NamedBearer[]> {
  const right = createExpectedCompanies(registry.database, registry.resolveDeps.reader)
  const bearerOf = registry.database.prepare<[number], Bearer>(
    `${selectBearers} WHERE l.entity_number = ? AND i.type IN ('lei', 'cik', 'registration_id') LIMIT 1`,
  )
  return (await readLabelledQueries(path)).flatMap((query) => {
    const [entityNumber] = right(query)
    const bearer = entityNumber === undefined ? undefined : bearerOf.get(entityNumber)
    return bearer === undefined ? [] : [{ name: query.name, bearer }]
  })
}
