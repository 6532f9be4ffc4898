import { formatCount } from '../../core/text.js'
import { matchWeights, thresholdBits, vetoes } from '../../registry/linkage/match-weights.js'
import type { LinkageReport } from '../../registry/registry.js'

type Joined = LinkageReport['joined'][number]
type Apart = LinkageReport['apart'][number]
type Evidence = Apart['examples'][number]

const joinedTexts: Readonly<Record<Joined['reason'], string>> = {
  successor: 'a register names the one that took its place',
  branch: 'a register names its head office',
  lei: 'one LEI',
  registration_id: 'one number of one register',
  cik: 'one CIK',
  name: 'one name, and place and numbers bear it out',
}

const apartTexts: Readonly<Record<Apart['reason'], string>> = {
  ...vetoes,
  several_rows: 'another row of the source fits as well',
  other_form: 'their legal forms differ',
  other_company: 'other registrations of theirs contradict each other',
  below_threshold: `less than ${thresholdBits} bits speak for one company`,
}

const examplesShown = 3

/** What `registry info --linkage` prints for people, below what `registry info` does. */
export function linkageText({ joined, apart }: LinkageReport): string {
  const lines = [
    `joined    ${total(joined)} registrations of one company, by`,
    ...joined.flatMap(({ reason, count, examples }) => [
      line(reason, count, joinedTexts[reason]),
      ...examples
        .slice(0, examplesShown)
        .map(({ legalName, evidence }) => `      ${joinText(legalName, evidence)}`),
    ]),
    `apart     ${total(apart)} pairs of one name in two sources, because`,
    ...apart.flatMap(({ reason, count, examples }) => [
      line(reason, count, apartTexts[reason]),
      ...examples.slice(0, examplesShown).map((evidence) => `      ${pairText(evidence, 'and')}`),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

function total(counts: readonly { readonly count: number }[]): string {
  return formatCount(counts.reduce((sum, { count }) => sum + count, 0))
}

function line(reason: string, count: number, meaning: string): string {
  return `  ${reason.padEnd(16)} ${formatCount(count).padStart(7)}   ${meaning}`
}

function joinText(legalName: string, evidence: Evidence | null): string {
  return evidence === null ? legalName : pairText(evidence, 'is')
}

function pairText({ registrations, bits, levels }: Evidence, between: 'is' | 'and'): string {
  return `${registrations.map(({ name }) => name).join(` ${between} `)}: ${bits} bits (${levelsText(levels)})`
}

/** The levels that tell something, the most telling first. */
function levelsText(levels: Evidence['levels']): string {
  return Object.entries(levels)
    .map(([comparison, level]) => {
      const known: Readonly<Record<string, { bits: number }>> =
        matchWeights[comparison as keyof typeof matchWeights]
      return { text: `${comparison} ${level}`.replaceAll('_', ' '), bits: known[level]?.bits ?? 0 }
    })
    .filter(({ bits }) => bits !== 0)
    .sort((a, b) => Math.abs(b.bits) - Math.abs(a.bits))
    .map(({ text, bits }) => `${text} ${bits > 0 ? '+' : ''}${bits}`)
    .join(', ')
}
