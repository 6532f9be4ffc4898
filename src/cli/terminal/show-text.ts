import {
  findAdded,
  parseEntries,
  type BasisLine,
  type RowsView,
  type RowView,
  type ViewedRow,
} from '../../app/view-rows.js'
import { cutToWidth, formatCount, measureWidth, plural, printable } from '../../core/text.js'
import { formatTableLines } from './screen.js'

interface ShownColumn {
  readonly title: string
  /** Width below which the column is omitted if it is wider by nature. */
  readonly widthMin: number
  /** Width in a terminal with room for all. */
  readonly widthMax: number
  readonly getCell: (row: ViewedRow) => string
}

/**
 * Formats the first rows of a file as a table, and the counts of all rows as bars. Lines have at most `columnCount`
 * terminal columns, which may be infinite. `next`: the command that shows one row.
 */
export function formatRows(view: RowsView, columnCount: number, next: string): string {
  const { label, rows, rowCount, matchingCount, columns } = view
  const all = plural(rowCount, 'row')
  const some = matchingCount === rowCount ? all : `${formatCount(matchingCount)} of ${all}`
  const blocks = [
    [`${label}: ${some}, ${plural(columns.all.length, 'column')}`],
    rows.length === 0 ? [] : formatTable(view, columnCount),
    matchingCount === 0 ? formatValues(view) : formatCharts(view, columnCount),
    rows.length === 0 ? [] : [`One row in full: ${next}`],
  ]
  const texts = blocks.filter((lines) => lines.length > 0).map((lines) => `${lines.join('\n')}\n`)
  return texts.join('\n')
}

/** Names values of the column of the first condition. */
function formatValues({ values }: RowsView): string[] {
  if (values === null) return []
  const shown = [...values.texts].map((text) => (text === '' ? '(empty)' : cutToWidth(cleanText(text), 30)))
  return [`No row meets --where. Values of ${cleanText(values.column)}: ${[...new Set(shown)].join(', ')}`]
}

function formatTable(view: RowsView, columnCount: number): string[] {
  const { rows, chosen, columns, matchingCount } = view
  const numbers = createColumn('row', ({ number }) => String(number), 12, 12)
  const wanted = [numbers, ...(chosen?.map(createOwnColumn) ?? listDefaults(view, columnCount))]
  const shown = omitColumns(wanted, rows, columnCount)
  const texts = [
    shown.map(({ title }) => title),
    ...rows.map((row) => shown.map(({ getCell }) => getCell(row))),
  ]
  const lines = formatTableLines(
    texts,
    shown.map(({ widthMax }) => (columnCount === Infinity ? Infinity : widthMax)),
    columnCount,
    shown.map(({ widthMin }) => widthMin),
  )
  const left = matchingCount - rows.length
  const omitted = chosen === null && columns.prefix !== null ? [] : wanted.slice(shown.length)
  return [
    ...lines,
    ...(left === 0 ? [] : [`  … and ${plural(left, 'more row')}`]),
    ...(omitted.length === 0
      ? []
      : [
          formatOmitted(
            omitted.map(({ title }) => title),
            columnCount,
          ),
        ]),
  ]
}

function formatOmitted(titles: readonly string[], columnCount: number): string {
  const text = `  not shown: ${printable(titles.join(', ').replace(/\s+/g, ' '))}`
  const hint = '; --columns chooses'
  const room = columnCount - hint.length - 1
  return measureWidth(text) <= room ? text + hint : `${cutToWidth(text, room)}…${hint}`
}

const narrowest = 8

const createColumn = (
  title: string,
  getCell: ShownColumn['getCell'],
  widthMax = 40,
  widthMin = narrowest,
): ShownColumn => ({ title, widthMin, widthMax, getCell })

const createOwnColumn = (name: string): ShownColumn =>
  createColumn(name, ({ cells }) => cells.get(name) ?? '', 60)

/** The columns of a table without a request: for the output of a run, what a reader checks first. */
function listDefaults(view: RowsView, columnCount: number): ShownColumn[] {
  const { columns, rows } = view
  if (columns.prefix === null) return columns.all.map(createOwnColumn)
  const getAdded = ({ cells }: ViewedRow, ...names: string[]) =>
    names.map((name) => cells.get(findAdded(columns, name) ?? '') ?? '').find((text) => text !== '') ?? ''
  const getGuess = (row: ViewedRow) =>
    getAdded(row, 'candidate_legal_name', 'candidate_name').replace(/.$/u, '$& ?')
  const [first] = rows[0]?.cells.keys() ?? []
  const name = columns.name ?? first ?? ''
  const build = (getSource: ShownColumn['getCell']) => [
    createColumn(name, ({ cells }) => cells.get(name) ?? '', 32),
    createColumn('company', (row) => getAdded(row, 'legal_name', 'display_name') || getGuess(row), 36),
    createColumn('status', (row) => getAdded(row, 'status'), 13, 13),
    createColumn('confidence', (row) => getAdded(row, 'confidence'), 10, 10),
    createColumn('source', getSource, 60, 12),
  ]
  const getUrl = (row: ViewedRow) => getAdded(row, 'source_url')
  const measureRoom = (shown: readonly ShownColumn[]) =>
    columnCount - sumWidths(shown, rows, ({ widthMax }) => widthMax) - 'row'.length - 6
  const whole = build(getUrl)
  const shown =
    measureRoom(whole) < 0 ? build((row) => getUrl(row).replace(/^https?:\/\/([^/]+).*$/s, '$1')) : whole
  const room = measureRoom(shown)
  const reason = createColumn('reason', (row) => getAdded(row, 'reason', 'error'), room)
  const isEmpty = ({ getCell }: ShownColumn) => rows.every((row) => getCell(row) === '')
  return [...shown, ...(room < reasonMin ? [] : [reason])].filter((column) => !isEmpty(column))
}

/** Room that a column of sentences needs. */
const reasonMin = 30

/** Sums the widths of columns with the gaps between them. No column is wider than its cells. */
function sumWidths(
  columns: readonly ShownColumn[],
  rows: readonly ViewedRow[],
  getMost: (column: ShownColumn) => number,
): number {
  const widths = columns.map((column) => {
    const cells = [column.title, ...rows.map(column.getCell)]
    return Math.min(getMost(column), Math.max(...cells.map((cell) => measureWidth(printable(cell)))))
  })
  return widths.reduce((sum, width) => sum + width + 2, 0)
}

/** Omits the last columns until the others have their least width. */
function omitColumns(
  columns: readonly ShownColumn[],
  rows: readonly ViewedRow[],
  columnCount: number,
): readonly ShownColumn[] {
  const fits = sumWidths(columns, rows, ({ widthMin }) => widthMin) <= columnCount
  return fits || columns.length <= 2 ? columns : omitColumns(columns.slice(0, -1), rows, columnCount)
}

/** From this width, the two charts are next to each other. */
const pairColumnsMin = 80
const barCellsMax = 30
const barsMax = 12

function formatCharts({ byStatus, byConfidence, matchingCount }: RowsView, columnCount: number): string[] {
  const isPair = byStatus !== null && byConfidence !== null && columnCount >= pairColumnsMin
  const width = isPair ? Math.floor(Math.min(columnCount, 120) / 2) - 1 : Math.min(columnCount, 80)
  const left = byStatus === null ? [] : formatChart('status', byStatus, matchingCount, width)
  const right = byConfidence === null ? [] : formatChart('confidence', byConfidence, matchingCount, width)
  if (!isPair) return [...left, ...(left.length === 0 || right.length === 0 ? [] : ['']), ...right]
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const line = left[at] ?? ''
    return `${line}${' '.repeat(Math.max(0, width - measureWidth(line)))}${right[at] ?? ''}`.trimEnd()
  })
}

/** Formats counts as bars, whose whole length stands for `total`. */
function formatChart(
  title: string,
  counts: ReadonlyMap<string, number>,
  total: number,
  columnCount: number,
): string[] {
  const entries = [...counts]
  const rest = entries.slice(barsMax).reduce((sum, [, count]) => sum + count, 0)
  const listed: [string, number][] = [
    ...entries.slice(0, barsMax),
    ...(rest === 0 ? [] : [['others', rest] as [string, number]]),
  ]
  const names = listed.map(([name]) => cutToWidth(printable(cleanText(name)) || 'none', 20))
  const shares = formatShares(listed.map(([, count]) => count / total))
  const figures = listed.map(([, count], at) => [formatCount(count), `${shares[at] ?? ''} %`] as const)
  const nameWidth = Math.max(...names.map(measureWidth))
  const [countWidth, shareWidth] = [0, 1].map((at) =>
    Math.max(...figures.map((pair) => pair[at]?.length ?? 0)),
  )
  const texts = figures.map(([count, share], at) => {
    const name = names[at] ?? ''
    const padding = ' '.repeat(nameWidth - measureWidth(name))
    return `  ${name}${padding}  ${count.padStart(countWidth ?? 0)}  ${share.padStart(shareWidth ?? 0)}`
  })
  const room = columnCount - measureWidth(texts[0] ?? '') - 4
  const cellCount = Math.max(0, Math.min(barCellsMax, room))
  return [
    `  ${title}`,
    ...listed.map(([, count], at) => `${texts[at] ?? ''}  ${formatBar(count / total, cellCount)}`.trimEnd()),
  ]
}

/** Writes shares of 1 as percentages with the sum of the shares. Each is 0 or 100 only if it is exact. */
function formatShares(shares: readonly number[]): string[] {
  const rests = shares.map((share) => (share * 100) % 1)
  const missing = Math.round(rests.reduce((sum, rest) => sum + rest, 0))
  const order = [...rests.keys()].sort((one, other) => (rests[other] ?? 0) - (rests[one] ?? 0))
  return shares.map((share, at) => {
    if (share > 0 && share < 0.01) return '<1'
    const percent = Math.floor(share * 100) + Number(order.indexOf(at) < missing)
    return share > 0.99 && share < 1 ? '>99' : String(percent)
  })
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function formatBar(share: number, cellCount: number): string {
  const parts = Math.max(1, Math.round(share * cellCount * 8))
  return cellCount === 0 ? '' : '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '')
}

/** Sections of one row, each with the added columns that it shows if they have a value. */
const sections = {
  Answer: 'status confidence reason error decision decided_by decided_at answered_by source_url'.split(' '),
  Company: [
    ...'legal_name display_name matched_name matched_name_kind entity_status type subtype'.split(' '),
    ...'description website formatted_address sector legal_form naics_code naics_label'.split(' '),
    ...'sic_code sic_label parent_name merged_into'.split(' '),
  ],
  Registration:
    'registration_id registration_authority jurisdiction lei cik ein duns bic ticker matching_branch'.split(
      ' ',
    ),
  'Best guess': [
    ...'candidate_legal_name candidate_name candidate_jurisdiction candidate_address'.split(' '),
    ...'matched_name matched_name_kind'.split(' '),
  ],
}
/** Parts of the address, which the whole address repeats. */
const addressParts = 'street_address city state state_code postal_code country country_code'.split(' ')

/** Formats one row with the evidence and the sources of its answer. Empty cells are omitted. */
export function formatRow({ label, columns, chosen, row, basis }: RowView): string {
  const { prefix } = columns
  const removePrefix = (column: string) => (prefix === null ? column : column.slice(prefix.length))
  const getText = (column: string | null) => cleanText(row.cells.get(column ?? '') ?? '')
  const list = (shown: readonly string[], getLabel: (column: string) => string = (column) => column) =>
    shown.flatMap((column) => (getText(column) === '' ? [] : [[getLabel(column), getText(column)] as const]))
  const title = `Row ${formatCount(row.number)} of ${label}\n`
  if (chosen !== null || prefix === null) return `${title}${formatSection('', list(chosen ?? columns.all))}`
  const lists = ['factors', 'actions', 'candidates', 'basis']
  const hasAddress = getText(findAdded(columns, 'formatted_address')) !== ''
  const used = [...Object.values(sections).flat(), ...lists, ...(hasAddress ? addressParts : [])]
  const isAdded = (column: string) => column.startsWith(prefix)
  const listEntries = (name: string) => parseEntries(row.cells.get(findAdded(columns, name) ?? '') ?? '')
  // Without a company, the name that was found is that of the best guess.
  const isGuess = getText(findAdded(columns, 'legal_name')) === ''
  const isOfSection = (heading: string, name: string) =>
    !name.startsWith('matched_name') || (heading === 'Best guess') === isGuess
  const others = columns.all.filter((column) => isAdded(column) && !used.includes(removePrefix(column)))
  return [
    title,
    formatSection('Your row', list(columns.all.filter((column) => !isAdded(column)))),
    ...Object.entries(sections).map(([heading, names]) =>
      formatSection(
        heading,
        list(
          names.flatMap((name) => (isOfSection(heading, name) ? (findAdded(columns, name) ?? []) : [])),
          (column) => toWords(removePrefix(column)),
        ),
      ),
    ),
    formatLines('Evidence', listEntries('factors').map(formatFactor)),
    formatLines(
      'Suggestions',
      listEntries('actions').map(({ description }) => cleanText(description)),
    ),
    formatSection('Candidates', listEntries('candidates').map(formatCandidate)),
    formatSection(
      'Service',
      list(others, (column) => toWords(removePrefix(column))),
    ),
    formatBasis(basis),
  ].join('')
}

const cleanText = (value: unknown): string =>
  (typeof value === 'string' || typeof value === 'number' ? String(value) : '').replace(/\s+/g, ' ').trim()

const toWords = (name: string): string => name.replaceAll('_', ' ')

const labelColumnsMax = 28

function formatSection(title: string, facts: readonly (readonly [label: string, text: string])[]): string {
  if (facts.length === 0) return ''
  const labels = facts.map(([label]) => cutToWidth(printable(cleanText(label)), labelColumnsMax))
  const width = Math.max(...labels.map(measureWidth))
  const pad = (label: string) => label + ' '.repeat(width - measureWidth(label))
  const lines = facts.map(([, text], at) => `  ${pad(labels[at] ?? '')}  ${text}\n`)
  return `\n${title === '' ? '' : `${title}\n`}${lines.join('')}`
}

const formatLines = (title: string, texts: readonly string[]): string =>
  texts.length === 0 ? '' : `\n${title}\n${texts.map((text) => `  ${text}\n`).join('')}`

const formatFactor = ({ type, description, impact }: Readonly<Record<string, unknown>>): string => {
  const weight = cleanText(impact)
  return `${type === 'limitation' ? '-' : '+'} ${cleanText(description)}${weight === '' ? '' : ` (${weight})`}`
}

function formatCandidate(candidate: Readonly<Record<string, unknown>>): [string, string] {
  const { confidence, name, legal_name, place, url } = candidate
  const parts = [legal_name ?? name, place, url].map(cleanText).filter((text) => text !== '')
  return [cleanText(confidence) || '?', parts.join(' · ')]
}

/** Lists the fields with what supports each; sources have numbers, because many fields have the same one. */
function formatBasis(lines: readonly BasisLine[]): string {
  const formatSource = ({ citation_url: url, source_type: type }: BasisLine) =>
    type === null ? (url ?? '') : `${url ?? 'no public page'} (${toWords(type)})`
  const sources = [...new Set(lines.map(formatSource))].filter((text) => text !== '')
  const isSame = (one: BasisLine | undefined, other: BasisLine) =>
    one?.field === other.field && one.value === other.value && one.reasoning === other.reasoning
  const texts = lines.flatMap((line, at) => {
    const number = sources.indexOf(formatSource(line)) + 1
    const mark = number === 0 ? '' : ` [${number}]`
    const support = [line.confidence, line.reasoning].map(cleanText).filter((text) => text !== '')
    const excerpt = line.excerpt === null ? [] : [`    "${cleanText(line.excerpt)}"${mark}`]
    const about =
      support.length === 0 && excerpt.length > 0
        ? []
        : [`    ${support.join(': ')}${excerpt.length === 0 ? mark : ''}`]
    return isSame(lines[at - 1], line)
      ? excerpt
      : [`${toField(line.field ?? '')}: ${cleanText(line.value)}`, ...about, ...excerpt]
  })
  return (
    formatLines('Basis', texts) +
    formatLines(
      'Sources',
      sources.map((text, at) => `[${at + 1}] ${text}`),
    )
  )
}

const toField = (path: string): string =>
  toWords(
    path
      .replace(/^(?:headquarters\.address|primary_legal_entity|facets)\./, '')
      .replace(/^identifiers\.\d+\.value$/, 'identifier'),
  )
