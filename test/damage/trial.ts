import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { Chance } from '../simulation/chance.js'
import { injuries } from './injuries.js'
import { legalNameOf } from '../support/true-service.js'
import {
  copyFiles,
  enrich,
  transplant,
  writeInput,
  type Ended,
  type MeteredService,
  type State,
} from './states.js'

/** What one trial came to. A broken promise is thrown. */
export interface Tried {
  seed: number
  /** What was done to it, and each command with its code. */
  story: string[]
  outcome: 'went on' | 'refused' | 'finished in the end' | 'stuck'
  /** By the word of the user, after having been told. */
  billedTwiceTold: number
}

export class BrokenPromise extends Error {}

export const namesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `Company ${index}`)

/** A few lookups that no state knows: so that there is something to submit. */
const newNames = ['Fresh One', 'Fresh Two', 'Fresh Three']
const stepsMax = 5

/** Runs `enrich …` in a folder, against a service. */
export type Command = (folder: string, url: string, args: readonly string[]) => Promise<Ended>

export async function oneTrial(
  seed: number,
  jobs: readonly (readonly State[])[],
  service: MeteredService,
  base: string,
  command: Command = enrich,
): Promise<Tried> {
  const chance = new Chance(seed)
  const folder = join(base, `trial-${seed}`)
  mkdirSync(folder)
  try {
    const job = chance.pick(jobs)
    const at = chance.whole(0, job.length - 1)
    const [state, older] = [job[at], job[chance.whole(0, Math.max(0, at - 1))]]
    if (state === undefined || older === undefined) throw new Error('a job without states')
    const names = [...new Set(job.flatMap(({ ledger }) => ledger.map(({ name }) => name)))]
    writeInput(folder, [...names, ...newNames])
    transplant(state, folder)
    service.ledger = [...state.ledger]
    const trial = new Trial(seed, chance, folder, service, command)
    await trial.injure(older)
    return await trial.live([...names, ...newNames])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

class Trial {
  readonly #story: string[] = []
  #told = new Map<string, number>()
  #isTold = false
  #folder: string

  constructor(
    private readonly seed: number,
    private readonly chance: Chance,
    folder: string,
    private readonly service: MeteredService,
    private readonly command: Command,
  ) {
    this.#folder = folder
  }

  async injure(older: State): Promise<void> {
    const injury = this.chance.pick(injuries)
    // In one of twelve, a copy of it goes on elsewhere.
    if (this.chance.happens(1 / 12)) await this.#copyGoesOn()
    else this.#story.push(injury(this.#folder, this.chance, older))
  }

  /** The original goes on; then somebody goes on with a copy that was made before. */
  async #copyGoesOn(): Promise<void> {
    const copy = join(this.#folder, 'copy')
    copyFiles(this.#folder, copy)
    copyFiles(join(this.#folder, '.enrich'), join(copy, '.enrich'))
    const before = this.service.ledger.length
    await this.command(this.#folder, this.service.url, ['in.csv', '-o', 'out.csv', '--quiet'])
    this.#story.push(
      `the original went on with ${this.service.ledger.length - before} submissions, then a copy`,
    )
    this.#told = this.#chargesByName()
    this.#folder = copy
  }

  async live(names: readonly string[]): Promise<Tried> {
    if (this.chance.happens(0.25)) await this.#look()
    let args: string[] = []
    for (let step = 0; step < stepsMax; step++) {
      const ended = await this.#run(['in.csv', '-o', 'out.csv', ...args], names)
      if (ended.code === 0 || ended.code === 3) {
        this.#judgeOutput(names)
        return this.#tried(step === 0 ? 'went on' : 'finished in the end')
      }
      const next = await this.#obey(ended)
      if (next === null) return this.#tried('stuck')
      args = next
    }
    return this.#tried('refused')
  }

  #tried(outcome: Tried['outcome']): Tried {
    const billedTwiceTold = [...this.#chargesByName().values()].filter((count) => count > 1).length
    return { seed: this.seed, story: this.#story, outcome, billedTwiceTold }
  }

  async #look(): Promise<void> {
    const args = this.chance.pick([
      ['status', '--uncertain'],
      ['plan', 'in.csv'],
      ['export', 'in.csv', '-o', 'known.csv'],
      ['checkpoint', 'verify'],
      ['doctor'],
    ])
    const { code } = await this.#run(args, [])
    if (args[0] === 'export' && code === 0) this.#judgeRows('known.csv')
  }

  /** Does what the error says; null where it names no way on. */
  async #obey({ stderr }: Ended): Promise<string[] | null> {
    const code = /error ([A-Z_]+):/.exec(stderr)?.[1] ?? ''
    switch (code) {
      case 'CHECKPOINT_DAMAGED':
        return (await this.#run(['checkpoint', 'repair'], [])).code === 0 ? [] : null
      case 'CHECKPOINT_BEHIND':
      case 'CHECKPOINT_DIVERGED':
      case 'CHECKPOINT_COPIED':
      case 'CHECKPOINT_HEAD_MISSING':
        if (this.chance.happens(0.5)) {
          this.#writeLedger()
          const { code: ended, stderr: said } = await this.#run(['reconcile', 'ledger.csv', '--complete'], [])
          if (ended === 0 || ended === 3) return []
          return /CHECKPOINT_DAMAGED/.test(said)
            ? this.#obey({ code: ended, stdout: '', stderr: said })
            : null
        }
        this.#isTold = true
        return ['--accept-rollback']
      default:
        return null
    }
  }

  async #run(args: readonly string[], names: readonly string[]): Promise<Ended> {
    const ended = await this.command(this.#folder, this.service.url, [
      ...args,
      ...(names.length > 0 ? ['--quiet'] : []),
    ])
    const said = /(?:error|FAIL\s+checkpoint\s+) ?([A-Z_]+):/.exec(ended.stderr + ended.stdout)?.[1] ?? ''
    this.#story.push(`${args.join(' ')} -> ${String(ended.code)} ${said}`)
    const where = `seed ${this.seed}: ${this.#story.join(' | ')}`
    if (![0, 2, 3].includes(ended.code ?? -1)) throw new BrokenPromise(`${where}\n${ended.stderr}`)
    this.#judgeCharges(where)
    return ended
  }

  #chargesByName(): Map<string, number> {
    const counted = new Map<string, number>()
    for (const { name } of this.service.ledger) counted.set(name, (counted.get(name) ?? 0) + 1)
    return counted
  }

  /** Once, unless the user was told first. */
  #judgeCharges(where: string): void {
    const counted = this.#chargesByName()
    for (const [name, count] of counted) {
      if (count > Math.max(1, this.#told.get(name) ?? 1) && !this.#isTold)
        throw new BrokenPromise(`${where}\n${name} was billed ${count} times`)
    }
    this.#told = counted
  }

  #judgeOutput(names: readonly string[]): void {
    const rows = this.#judgeRows('out.csv')
    if (rows.length !== names.length) throw new BrokenPromise(`seed ${this.seed}: ${rows.length} rows`)
  }

  /** A row has the answer to its name, or none. */
  #judgeRows(file: string): Record<string, string>[] {
    const path = join(this.#folder, file)
    if (!existsSync(path)) throw new BrokenPromise(`seed ${this.seed}: no ${file}`)
    const rows: Record<string, string>[] = parse(readFileSync(path), { columns: true })
    for (const row of rows) {
      const status = row['enrich_status'] ?? ''
      const isRight =
        status === 'matched'
          ? row['enrich_legal_name'] === legalNameOf(row['name'] ?? '')
          : ['uncertain', 'pending', 'error'].includes(status)
      if (!isRight)
        throw new BrokenPromise(
          `seed ${this.seed}: ${this.#story.join(' | ')}: ${JSON.stringify(row).slice(0, 300)}`,
        )
    }
    return rows
  }

  #writeLedger(): void {
    const lines = this.service.ledger.map(({ customId, runId }) => `${customId};${runId};1`)
    writeFileSync(join(this.#folder, 'ledger.csv'), `Custom ID;Run ID;Units\n${lines.join('\n')}\n`)
  }
}
