import { formatCount, plural } from '../../core/text.js'
import type { ExportedTodo } from '../../review/exchange/export-todo.js'
import type { ImportedVerdicts } from '../../review/exchange/import-verdicts.js'

/** What `enrich review --export` wrote, for people. */
export function exportedText(
  { path, lookupCount, rowCount, missing }: ExportedTodo,
  importCommand: string,
): string {
  const lines = [
    `${plural(lookupCount, 'doubtful lookup')} (${plural(rowCount, 'row')})`,
    ...(missing === null
      ? []
      : [
          `  note: without candidates ${formatCount(missing.lookupCount)}: ${missing.reason}; the same command again asks for them`,
        ]),
    `  written   ${path}`,
    ...(lookupCount === 0
      ? ['  nothing is left to be decided']
      : [`Fill in the column verdict, then: ${importCommand}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** Replaced decisions that are listed. */
const replacedShownMax = 20

/** What `enrich review --import` recorded, for people. */
export function importedText({ unit, replaced, ...imported }: ImportedVerdicts, runCommand: string): string {
  const { acceptedCount, noneCount, rowCount, unchangedCount, undecidedCount, loneNoteCount } = imported
  const decidedCount = acceptedCount + noneCount
  const head =
    decidedCount === 0
      ? 'Nothing changed.'
      : `${plural(decidedCount, 'lookup')} decided (${plural(rowCount, 'row')}): ${formatCount(acceptedCount)} accepted, ${formatCount(noneCount)} none of these`
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
      : [`  of these ${formatCount(replaced.length)} decided otherwise before, by you`]),
    ...shown,
    ...(shown.length < replaced.length
      ? [`    and ${formatCount(replaced.length - shown.length)} more`]
      : []),
    ...(unchangedCount === 0 ? [] : [`  ${formatCount(unchangedCount)} decided so already`]),
    ...(undecidedCount === 0 ? [] : [`  ${formatCount(undecidedCount)} without a verdict`]),
    ...(loneNoteCount === 0
      ? []
      : [`  of these ${formatCount(loneNoteCount)} with a note, which is kept with verdicts alone`]),
    ...(decidedCount === 0
      ? []
      : [`Next: ${runCommand}   (what is decided is neither asked nor billed again)`]),
  ]
  return `${lines.join('\n')}\n`
}
