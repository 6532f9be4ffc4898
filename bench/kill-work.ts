import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the killed runs look up. */
export interface KillWork {
  readonly runFlags: readonly string[]
  readonly serviceFlags: readonly string[]
  /** Whether requests for more data about a company are counted in front of the service. */
  readonly hasStages: boolean
  names(job: number): string[]
  /** Whether the row has this status in a complete output. */
  isRight(index: number, status: string): boolean
  /** Whether the row must never be submitted. */
  isOwn(index: number): boolean
}

export const workKinds = ['names', 'first', 'stages'] as const

/**
 * `names`: names that no registry has. `first`: every second name is in an own registry, which answers first. `stages`:
 * the service knows each name, and a run requests record, owners and domain of each company.
 */
export function openWork(text: string, main: string, folder: string, rowCount: number): KillWork {
  const kind = workKinds.find((one) => one === text)
  if (kind === undefined) throw new Error(`--work takes ${workKinds.join(', ')}`)
  const numbers = Array.from({ length: rowCount }, (_, index) => index)
  const unknownName = (job: number, index: number) => `Job ${job} Company ${index}`
  if (kind === 'names')
    return {
      runFlags: [],
      serviceFlags: [],
      hasStages: false,
      names: (job) => numbers.map((index) => unknownName(job, index)),
      isRight: (_index, status) => ['no_match', 'uncertain'].includes(status),
      isOwn: () => false,
    }
  const isKnown = (index: number) => kind === 'stages' || index % 2 === 0
  const registry = importCompanies(main, folder, numbers.filter(isKnown))
  const names = (job: number) =>
    numbers.map((index) => (isKnown(index) ? toName(index) : unknownName(job, index)))
  if (kind === 'first')
    return {
      runFlags: ['--first', registry],
      serviceFlags: [],
      hasStages: false,
      names,
      isRight: (index, status) =>
        isKnown(index) ? status === 'matched' : ['no_match', 'uncertain'].includes(status),
      isOwn: isKnown,
    }
  return {
    runFlags: ['--with', 'entity,hierarchy,domain'],
    serviceFlags: ['--registry', registry],
    hasStages: true,
    names,
    isRight: (_index, status) => ['matched', 'uncertain'].includes(status),
    isOwn: () => false,
  }
}

/** A name that resembles no other one. */
const toName = (index: number): string => {
  const digits = createHash('sha256').update(String(index)).digest('hex').slice(0, 14)
  return `X${digits.replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')} GmbH`
}

/** Each company has a website; every fourth one owns the three after it. */
function importCompanies(main: string, folder: string, numbers: readonly number[]): string {
  const [list, registry] = [join(folder, 'companies.csv'), join(folder, 'registry.sqlite')]
  const rows = numbers.map((index, at) => {
    const owner = at % 4 === 0 ? '' : `c${numbers[at - (at % 4)] ?? ''}`
    return `c${index},${toName(index)},DE,https://www.${toName(index).slice(0, -5).toLowerCase()}.example,${owner}\n`
  })
  writeFileSync(list, `id,name,country,website,parent_id\n${rows.join('')}`)
  const ended = spawnSync(process.execPath, [main, 'registry', 'import', 'csv', list, '--registry', registry])
  if (ended.status !== 0) throw new Error(`the registry was not imported: ${ended.stderr.toString()}`)
  return registry
}
