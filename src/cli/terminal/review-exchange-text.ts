import type { ExportedTodo } from '../../review/exchange/export-todo.js'
import type { ImportedVerdicts } from '../../review/exchange/import-verdicts.js'

/** What `enrich review --export` wrote, for people. */
export function exportedText({ path, lookupCount, rowCount, missing }: ExportedTodo): string {
  const lines = [
    `${counted(lookupCount, 'doubtful lookup')} (${counted(rowCount, 'row')})`,
    ...(missing === null
      ? []
      : [
          `  note: without candidates ${number(missing.lookupCount)}: ${missing.reason}; the same command again asks for them`,
        ]),
    `  written   ${path}`,
    ...(lookupCount === 0
      ? ['  nothing is left to be decided']
      : [
          `  then      fill in the column verdict, and run the same command with --import in place of --export`,
        ]),
  ]
  return `${lines.join('\n')}\n`
}

/** Replaced decisions that are listed. */
const replacedShownMax = 20

/** What `enrich review --import` recorded, for people. */
export function importedText({ unit, replaced, ...imported }: ImportedVerdicts): string {
  const { acceptedCount, noneCount, rowCount, unchangedCount, undecidedCount, loneNoteCount } = imported
  const decidedCount = acceptedCount + noneCount
  const head =
    decidedCount === 0
      ? 'Nothing changed.'
      : `${counted(decidedCount, 'lookup')} decided (${counted(rowCount, 'row')}): ${number(acceptedCount)} accepted, ${number(noneCount)} none of these`
  const shown = replaced
    .slice(0, replacedShownMax)
    .map(
      ({ number: at, before }) =>
        `    ${unit} ${at} (${before.name}): before, ${before.entityId ?? 'none of these'}`,
    )
  const lines = [
    head,
    ...(replaced.length === 0
      ? []
      : [`  of these ${number(replaced.length)} decided otherwise before, by you`]),
    ...shown,
    ...(shown.length < replaced.length ? [`    and ${number(replaced.length - shown.length)} more`] : []),
    ...(unchangedCount === 0 ? [] : [`  ${number(unchangedCount)} decided so already`]),
    ...(undecidedCount === 0 ? [] : [`  ${number(undecidedCount)} without a verdict`]),
    ...(loneNoteCount === 0
      ? []
      : [`  of these ${number(loneNoteCount)} with a note, which is kept with verdicts alone`]),
  ]
  return `${lines.join('\n')}\n`
}

const number = (value: number): string => value.toLocaleString('en-US')
const counted = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`
