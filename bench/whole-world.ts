import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse'
import { createSeededFractions } from '../src/platform/clock.js'
import { importRegister } from '../src/registry/load.js'
import { derivationVersion } from '../src/registry/model/registry-rows.js'
import { Chance } from '../test/simulation/chance.js'
import { madeUpNames } from './made-up-names.js'
import { pick, withoutForm } from './name-pieces.js'
import { writeRegister } from './registry-rows.js'
import { readNameWords } from './registry-words.js'
import { csvLine, diskFolder } from './support.js'

/** Raised when what is made here changes: older caches are left alone. */
const worldVersion = 1
/** The others are names that the register does not hold, or only by chance. */
const heldShare = 0.7

/** A registry, and a file of names of which it holds most. */
export interface WholeWorld {
  readonly folder: string
  readonly registry: string
  readonly input: string
}

interface Held {
  readonly name: string
  readonly city: string
  readonly country: string
}

/** Made once for each size, and kept in the folder for temporary files. One seed makes the same. */
export async function wholeWorld(companyCount: number, nameCount: number): Promise<WholeWorld> {
  const version = `${worldVersion}.${derivationVersion}`
  const folder = join(diskFolder(), `enrich-bench-whole-${version}-${companyCount}-${nameCount}`)
  const worldIn = (at: string): WholeWorld => ({
    folder: at,
    registry: join(at, 'registry.sqlite'),
    input: join(at, 'names.csv'),
  })
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished)
    await makeWorld(worldIn(unfinished), companyCount, nameCount)
    renameSync(unfinished, folder)
  }
  return worldIn(folder)
}

async function makeWorld(world: WholeWorld, companyCount: number, nameCount: number): Promise<void> {
  const register = join(world.folder, 'register.csv')
  const words = await readNameWords([
    fileURLToPath(new URL('../fixtures/registry/companies.csv', import.meta.url)),
  ])
  await writeRegister(
    register,
    join(world.folder, 'sample.json'),
    { rowCount: companyCount },
    words,
    new Chance(1),
  )
  await importRegister(world.registry, {
    format: 'csv',
    path: register,
    idType: 'registration_id',
    sourceName: 'bench',
  })
  const held = await readHeld(register)
  writeFileSync(world.input, [...inputLines(held, words.heads, nameCount)].join('\n') + '\n')
}

async function readHeld(register: string): Promise<Held[]> {
  const rows: Held[] = []
  const parser = createReadStream(register).pipe(parse({ columns: true }))
  for await (const { name, city, country } of parser as AsyncIterable<Held>)
    rows.push({ name, city, country })
  return rows
}

function* inputLines(
  held: readonly Held[],
  distinctive: readonly string[],
  count: number,
): Generator<string> {
  const fraction = createSeededFractions(2)
  const towns = [...new Set(held.map(({ city }) => city))]
  const makers = Object.values(madeUpNames)
  yield csvLine(['company_name', 'city', 'country'])
  for (let row = 0; row < count; row++) {
    const known = pick(held, fraction)
    const maker = pick(makers, fraction)
    if (known === undefined || maker === undefined) throw new Error('nothing to pick from')
    const name =
      fraction() < heldShare ? asWritten(known.name, fraction()) : maker({ distinctive, towns }, fraction)
    yield csvLine([name, known.city, known.country])
  }
}

/** As people write it: as it is registered, without its form, or in small letters. */
function asWritten(name: string, at: number): string {
  if (at < 0.4) return name
  return at < 0.8 ? (withoutForm(name) ?? name) : name.toLowerCase()
}
