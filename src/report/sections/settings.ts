import type { RememberedRun } from '../../pipeline/history/history.js'
import { foreign, html, type Html, type HtmlPart } from '../../web/html.js'
import { isNamedJob } from '../../pipeline/rules/job-name.js'
import { tableHtml } from '../../web/table.js'
import { moment } from '../words.js'
import { factList } from './tiles.js'

/** The name of the job, or else the files that it read. */
export function jobHtml({ series, record }: RememberedRun): Html {
  const paths = record?.input.paths ?? []
  return foreign(isNamedJob(series) || paths.length === 0 ? series : paths.join(', '), 200)
}

/** How a run was called, and its settings by the keys of the config. */
export function settingsHtml(run: RememberedRun): Html {
  const { record, startedAtMs, endedAtMs, exitCode } = run
  if (record === null) return html`<p>What is kept of this run is of another version of enrich.</p>`
  const { command, program, service, scope, input, settings } = record
  const facts: (readonly [string, HtmlPart])[] = [
    ['Command', html`<code>${foreign(command, 600)}</code>`],
    ['Began', moment(startedAtMs)],
    ['Ended', endedAtMs === null ? '–' : moment(endedAtMs)],
    ['Exit code', exitCode ?? '–'],
    ['Job', jobHtml(run)],
    ['Service', html`${service}, ${foreign(scope, 200)}`],
    ['Input', html`${foreign(input.paths.slice(0, 20).join(', '), 600)} (${input.format})`],
    ['SHA-256 of the input', input.sha256 === null ? '–' : html`<code>${input.sha256}</code>`],
    ['enrich', foreign(program, 40)],
  ]
  return html`${factList('facts', facts)}
  ${tableHtml({
    id: 'settings-table',
    label: 'Settings',
    columns: [{ name: 'Setting' }, { name: 'Value' }],
    rows: listValues(settings),
    cellsOf: ([key, value]) => [html`<code>${key}</code>`, foreign(value, 300)],
    noun: 'settings',
  })}`
}

/** Each setting with the path of its key: `input.columns.name`. A list is one setting. */
function listValues(value: unknown, above = ''): (readonly [string, string])[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return above === '' ? [] : [[above, textOf(value)]]
  return Object.entries(value).flatMap(([key, inner]) =>
    listValues(inner, above === '' ? key : `${above}.${key}`),
  )
}

function textOf(value: unknown): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
