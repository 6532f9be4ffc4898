import type { ImportResult, LineReason } from '../registry/import/tally.js'
import type { RegistryInfo, SearchHit } from '../registry/registry.js'

/** What `enrich registry …` prints for people. */
export function importText(result: ImportResult, file: string, registryPath: string): string {
  if (result.unchanged) return `${file} was imported before, unchanged: nothing to do.\n`
  const lines = [
    `${file}: ${count(result.rowCount, 'row')}`,
    `  new       ${number(result.importedCount)}`,
    `  updated   ${number(result.updatedCount)}`,
    `  rejected  ${number(result.rejectedCount)}`,
  ]
  if (result.vanishedCount > 0)
    lines.push(`  vanished  ${number(result.vanishedCount)}   (in the file before, no longer)`)
  lines.push(...reasonLines('Rejected rows', result.rejections, result.rejectedCount))
  lines.push(...reasonLines('Values left out of rows that were kept', result.drops, result.droppedCount))
  if (result.rejectedCount > 0) lines.push('Mend these rows and import the file again: rows keep their ids.')
  lines.push(`Next: enrich companies.csv -o out.csv --registry ${registryPath}`)
  return `${lines.join('\n')}\n`
}

function reasonLines(title: string, reasons: readonly LineReason[], total: number): string[] {
  if (total === 0) return []
  const more = total > reasons.length ? [`  … and ${number(total - reasons.length)} more`] : []
  return [`${title}:`, ...reasons.map(({ line, reason }) => `  line ${line}: ${reason}`), ...more]
}

export function infoText(info: RegistryInfo): string {
  const sources = info.sources.map(
    (source) =>
      `  ${source.name} (${source.format}): ${count(source.rowCount, 'row')}, ${number(source.rejectedCount)} rejected, imported ${source.importedAt}`,
  )
  const lines = [
    `registry  ${info.path}`,
    `companies ${number(info.entityCount)}`,
    `edition   ${info.edition}`,
    sources.length === 0 ? 'sources   none yet: enrich registry import csv FILE' : 'sources',
    ...sources,
  ]
  return `${lines.join('\n')}\n`
}

export function searchText(name: string, hits: readonly SearchHit[]): string {
  if (hits.length === 0) return `Nothing found for "${name}".\n`
  const lines = hits.map((hit) => {
    const place = [hit.city, hit.jurisdiction.jurisdictionCode].filter((part) => part !== null).join(', ')
    const shown = hit.name === hit.legalName ? '' : ` (${hit.name})`
    return `${String(hit.score).padStart(3)}  ${hit.legalName}${shown}  ${place}  ${hit.status ?? ''}  ${hit.entityId}`
  })
  return `${lines.join('\n')}\n`
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function count(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`
}
