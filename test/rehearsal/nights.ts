import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { stringify } from 'csv-stringify/sync'
import { openHistory } from '../../src/pipeline/history/read-history.js'
import type { CliPlace } from '../support/cli.js'
import { rowsOfCsv } from '../support/tables.js'
import type { Dice } from './dice.js'
import { tell, type ListRow, type Told } from './list-of-rows.js'

const dieAtRename = fileURLToPath(new URL('die-at-rename.ts', import.meta.url))
const typeScript = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const published = ['out.csv', 'out.csv.basis.csv', 'changes.csv']

export function writeList(
  place: CliPlace,
  rows: readonly ListRow[],
  asked: (firm: number) => { readonly name: string; readonly city: string },
): void {
  const cells = rows.map(({ key, firm }) => [key, asked(firm).name, asked(firm).city, 'GB'])
  place.write('companies.csv', stringify([['key', 'company_name', 'city', 'country'], ...cells]))
}

export interface Night {
  readonly place: CliPlace
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly dice: Dice
  /** Also at any moment, and not only where files are put in place. */
  readonly diesAnywhere: boolean
}

/** One night: the command, killed as the dice have it and called again until it has come to its end. */
export async function runNight(night: Night): Promise<readonly Told[]> {
  const { place, args, dice, env = {} } = night
  const command = ['companies.csv', '-o', 'out.csv', '--changes', 'changes.csv', ...args]
  const killCount = dice.fraction() < 0.6 ? 1 + dice.below(2) : 0
  for (let kill = 0; kill < killCount; kill++) {
    const before = await newestRun(place)
    await killed(night, command)
    if (await hasEnded(place, before)) return toldIn(place)
  }
  const { code, stderr } = await place.run(command, { env })
  if (code !== 0 && code !== 3) throw new Error(`the night ended with ${code}: ${stderr}`)
  return toldIn(place)
}

async function killed(
  { place, dice, diesAnywhere, env = {} }: Night,
  command: readonly string[],
): Promise<void> {
  if (diesAnywhere && dice.fraction() < 0.5) {
    const { child, ended } = place.start(command, { env })
    const timer = setTimeout(() => child.kill('SIGKILL'), 250 + dice.below(700))
    await ended
    clearTimeout(timer)
    return
  }
  const [file = ''] = dice.some(published, 1)
  const when = dice.fraction() < 0.5 ? 'before' : 'after'
  const { code, stderr } = await place.run(command, {
    env: { ...env, TEST_DIE_AT: `${when} ${file}` },
    nodeFlags: ['--import', typeScript, '--import', dieAtRename],
  })
  if (code !== null) throw new Error(`it did not die ${when} ${file}, and ended with ${code}: ${stderr}`)
}

interface RunEnd {
  readonly number: number
  readonly hasEnded: boolean
}

async function newestRun(place: CliPlace): Promise<RunEnd> {
  const history = await openHistory(place.path('.enrich/checkpoint.sqlite'))
  try {
    const [run] = (await history?.runs()) ?? []
    return { number: run?.number ?? 0, hasEnded: run !== undefined && run.endedAtMs !== null }
  } finally {
    await history?.close()
  }
}

/** Whether a command that was to be killed came to its end before. */
async function hasEnded(place: CliPlace, { number }: RunEnd): Promise<boolean> {
  const newest = await newestRun(place)
  return newest.number > number && newest.hasEnded
}

/** What the night's file says, sorted. */
function toldIn(place: CliPlace): readonly Told[] {
  return rowsOfCsv(place.read('changes.csv'))
    .map(({ kind = '', row_number = '', row_key = '', field = '', old = '', new: now = '' }) =>
      tell(kind, row_number, row_key, [field, old, now]),
    )
    .sort()
}

/** Between nights, people open, change and remove what was written. */
export function touchOutputs(place: CliPlace, dice: Dice): void {
  const chance = dice.fraction()
  if (chance < 0.3) place.write('out.csv', 'edited\n')
  else if (chance < 0.6) for (const name of published) rmSync(place.path(name), { force: true })
}
