import { formatCount } from '../../core/text.js'
import type { LoadedFile, LoadPlan, LoadStep } from '../../registry/import/load/load.js'
import { importText } from './registry-text.js'

/** What `enrich registry load` prints for people: the plan, each file, the sum. */
export function planText({ steps, leftOut }: LoadPlan, registryPath: string): string {
  const lines =
    steps.length === 0
      ? []
      : [`To load into ${registryPath}, in this order:`, ...tableLines(steps), ...mapLines(steps)]
  if (leftOut.length > 0) {
    lines.push('Left out:')
    for (const { path, reason, command } of leftOut) {
      lines.push(`  ${path}: ${reason}`)
      if (command !== null) lines.push(`    once you have looked at it: ${command}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function tableLines(steps: readonly LoadStep[]): string[] {
  const rows = [
    ['', 'format', 'rows', 'of', 'file'],
    ...steps.map((step, index) => [
      String(index + 1),
      step.format,
      step.rowEstimate === null ? '?' : `~${formatCount(step.rowEstimate)}`,
      step.fileDate.slice(0, 10),
      step.path,
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) => {
    const [at = '', format = '', count = '', day = '', file = ''] = row
    const [atWidth = 0, formatWidth = 0, countWidth = 0, dayWidth = 0] = widths
    return `  ${at.padStart(atWidth)}  ${format.padEnd(formatWidth)}  ${count.padStart(countWidth)}  ${day.padEnd(dayWidth)}  ${file}`
  })
}

/** A CSV of no known format is read by its headers: the plan says how, before it is read. */
function mapLines(steps: readonly LoadStep[]): string[] {
  return steps.flatMap((step, index) => {
    if (step.proposal === null) return []
    const { idType, map, country, jurisdiction, unused } = step.proposal
    const fields = Object.entries(map).map(([field, column]) =>
      field === column ? field : `${field}=${column}`,
    )
    const known = `known by ${idType === 'registration_id' ? `registration number${country === null ? '' : ` (${country})`}` : (idType ?? '').toUpperCase()}`
    const home = jurisdiction === null ? '' : `; registered in ${jurisdiction} where no other place is stated`
    const left = unused.length === 0 ? '' : `; not used: ${unused.join(', ')}`
    return [`  ${index + 1} is read as csv, ${known}: ${fields.join(', ')}${home}${left}`]
  })
}

export function loadedText({ step, result, error }: LoadedFile): string {
  if (result === null) return `${step.path}: not loaded: ${error?.message ?? ''}\n`
  const isOwnList = step.format === 'csv'
  return importText(result, `${step.path} (${step.format})`, { registryPath: null, isOwnList })
}

export function failureText(failed: readonly LoadedFile[]): string {
  return failed.map(({ step, error }) => `${step.path} (${error?.message ?? ''})`).join('; ')
}

export function summaryText(
  files: readonly LoadedFile[],
  { leftOut }: LoadPlan,
  registryPath: string,
  elapsedMs: number,
): string {
  const results = files.flatMap(({ result }) => (result === null ? [] : [result]))
  const sum = (pick: (result: (typeof results)[number]) => number) =>
    formatCount(results.reduce((total, result) => total + pick(result), 0))
  const parts = [
    `${results.length} of ${files.length} files loaded`,
    `${sum(({ rowCount }) => rowCount)} rows`,
    `${sum(({ rejectedCount }) => rejectedCount)} rejected`,
    `${(elapsedMs / 1_000).toFixed(1)} s`,
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out`]),
  ]
  return `${parts.join(', ')}\nNext: enrich companies.csv -o out.csv --registry ${registryPath}\n`
}
