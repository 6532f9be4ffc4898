import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { calculateDistance } from '../../core/word-forms.js'
import { dateOrders, encodingNames } from '../../core/file-formats.js'
import { UserError } from '../../core/errors.js'
import { expandRanges } from '../../core/json.js'
import { stripByteOrderMark } from '../../core/text.js'
import { describeFileError } from '../../platform/files.js'
import australia from './catalog/australia.json' with { type: 'json' }
import australiaAbn from './catalog/australia-abn.json' with { type: 'json' }
import canada from './catalog/canada.json' with { type: 'json' }
import companiesHouse from './catalog/companies-house.json' with { type: 'json' }
import czechia from './catalog/czechia.json' with { type: 'json' }
import estonia from './catalog/estonia.json' with { type: 'json' }
import finland from './catalog/finland.json' with { type: 'json' }
import france from './catalog/france.json' with { type: 'json' }
import gleif from './catalog/gleif.json' with { type: 'json' }
import india from './catalog/india.json' with { type: 'json' }
import ireland from './catalog/ireland.json' with { type: 'json' }
import japan from './catalog/japan.json' with { type: 'json' }
import latvia from './catalog/latvia.json' with { type: 'json' }
import lithuania from './catalog/lithuania.json' with { type: 'json' }
import norway from './catalog/norway.json' with { type: 'json' }
import sec from './catalog/sec.json' with { type: 'json' }
import secListed from './catalog/sec-listed.json' with { type: 'json' }
import singapore from './catalog/singapore.json' with { type: 'json' }
import taiwan from './catalog/taiwan.json' with { type: 'json' }
import usColorado from './catalog/us-colorado.json' with { type: 'json' }
import usConnecticut from './catalog/us-connecticut.json' with { type: 'json' }
import usIowa from './catalog/us-iowa.json' with { type: 'json' }
import usNewYork from './catalog/us-new-york.json' with { type: 'json' }
import usOregon from './catalog/us-oregon.json' with { type: 'json' }

/**
 * A text of a row: the name of a column, or a rule. A rule takes a column, the first of several texts, several joined
 * texts, or a fixed text. Then it applies `match`, `pad`, `cases` and `before`, in this order.
 */
export type Text = string | TextRule

interface TextRule {
  /** In JSON the path of a value: `addresses[type=1].city`; in XML with slashes and `@` for attributes. */
  readonly column?: string | undefined
  /** Takes the first of these that is not empty. */
  readonly first?: readonly Text[] | undefined
  readonly join?: readonly Text[] | undefined
  /** Text between joined parts; defaults to `, `. */
  readonly with?: string | undefined
  readonly fixed?: string | undefined
  /** Pattern; keeps its first group, or the whole match. Without a match there is no text. */
  readonly match?: string | undefined
  /** Pads digits at the end with zeros, up to this length of the whole text. */
  readonly pad?: number | undefined
  /** Patterns and what the first matching one stands for; `null` for no text. Another text stays. */
  readonly cases?: readonly (readonly [pattern: string, text: string | null])[] | undefined
  readonly before?: string | undefined
}

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, 'iu').flags === 'iu'
  } catch {
    return false
  }
}
const pattern = z.string().refine(isPattern, { error: 'must be a regular expression' })
/** A single value is a list of one. */
const list = <Schema extends z.ZodType>(item: Schema) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(item))
const text: z.ZodType<Text> = z.lazy(() =>
  z.union([
    z.string(),
    z.strictObject({
      column: z.string().optional(),
      first: list(text).optional(),
      join: list(text).optional(),
      with: z.string().optional(),
      fixed: z.string().optional(),
      match: pattern.optional(),
      pad: z.int().positive().optional(),
      cases: list(z.tuple([pattern, z.string().nullable()])).optional(),
      before: z.string().optional(),
    }),
  ]),
)
const filter = z.strictObject({ text, match: pattern })

/** Columns of the fields of a registration. `{1-4}` in a text of a list stands for four texts. */
const columns = z.strictObject({
  number: text,
  name: text.optional(),
  otherNames: list(text).optional(),
  formerNames: list(z.union([z.strictObject({ name: text, ended: text }), text])).optional(),
  /** `business` (the default), `nonprofit`, `government` or `other`. */
  type: text.optional(),
  form: text.optional(),
  status: text.optional(),
  formedOn: text.optional(),
  /** A registration with this date is inactive, unless its status is stated. */
  endedOn: text.optional(),
  street: text.optional(),
  city: text.optional(),
  region: text.optional(),
  postalCode: text.optional(),
  /** Country of the address; defaults to that of the source. */
  country: text.optional(),
  address: text.optional(),
  website: text.optional(),
  industry: z.strictObject({ scheme: z.string(), codes: list(text) }).optional(),
  /** Further numbers of the same register. */
  otherNumbers: list(text).optional(),
  lei: text.optional(),
  jurisdiction: text.optional(),
  authority: text.optional(),
})

const table = z.strictObject({
  /** Pattern of the names of its files, also inside a zip; defaults to every data file. */
  file: pattern.optional(),
  /** A reader of enrich, for files that columns cannot describe. */
  reader: z.enum(['gleif', 'gleif-relationships', 'sec-submissions', 'sec-tickers']).optional(),
  format: z.enum(['delimited', 'fixed', 'json', 'json-lines', 'xml']).default('delimited'),
  encoding: z.enum(encodingNames).default('utf-8'),
  delimiter: z.string().length(1).default(','),
  /** Whether quotes enclose cells. */
  quotes: z.boolean().default(true),
  /** Names of the columns of a file without a header. */
  header: list(z.string()).optional(),
  /** `fixed`: start, from 1, and length of each column. */
  positions: z.record(z.string(), z.tuple([z.int().positive(), z.int().positive()])).optional(),
  /** `xml`: name of the element of a registration. */
  element: z.string().optional(),
  /** Only rows that match all of these are read. */
  keep: list(filter).optional(),
  /** Rows that match one of these are left out. */
  drop: list(filter).optional(),
  /** Cells that mean nothing. */
  empty: list(z.string()).optional(),
  /** Order of day and month in dates of digits; defaults to the order that the file shows, or that of the country. */
  dates: z.enum(dateOrders).optional(),
  /** Rows that match state a former name of the registration. */
  formerName: filter.optional(),
  /** Rows add to the registrations of another table of the source. */
  adds: z.boolean().default(false),
  /** Form of the numbers; other rows are rejected. */
  numberForm: pattern.optional(),
  /** Columns that older or smaller files lack. */
  optional: list(z.string()).optional(),
  columns: columns.optional(),
})
export type SourceTable = z.infer<typeof table>

const url = z.url({ protocol: /^https?$/, error: 'must be an address that begins with https://' })
const urlOrPath = z
  .string()
  .refine((text) => !/^[a-z][a-z\d+.-]+:/i.test(text) || url.safeParse(text).success, {
    error: 'must be an address that begins with https://, or a path on this machine',
  })
const place = z.union([
  /** `url`: also a path, from the folder of the description. `name`: name of the file, if its address does not tell it; `checksum`: address of a text with the SHA-256, SHA-1 or MD5 of the file. */
  z.strictObject({ url: urlOrPath, name: z.string().optional(), checksum: url.optional() }),
  /** Newest file that a page links: the last one in the order of their names. */
  z.strictObject({ page: url, link: pattern }),
  /** Files of a CKAN package whose name or address matches; only the last one unless `all` is set. */
  z.strictObject({ ckan: url, package: z.string(), resource: pattern, all: z.boolean().optional() }),
  /** All pages of a data set of Socrata. */
  z.strictObject({ socrata: url, dataset: z.string() }),
])
export type SourcePlace = z.infer<typeof place>

const source = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, { error: 'must have small letters, digits and dashes' }),
  name: z.string(),
  publisher: z.string(),
  /** Code of ISO 3166-1; `*` for all countries. */
  country: z.string().regex(/^(?:[A-Z]{2}|\*)$/, { error: 'must be the code of a country, like GB' }),
  /** `gb`, `us_co`; defaults to the country. */
  jurisdiction: z.string().optional(),
  /** GLEIF's code of the register, so that records of LEIs join. */
  authority: z
    .string()
    .regex(/^RA\d{6}$/, { error: 'must be a code like RA000585' })
    .optional(),
  /** Page of the publisher about the files. */
  page: url,
  /**
   * Pattern of the numbers that only this register gives: one that the whole register lacks is doubtful. LEIs or CIKs,
   * if a reader of enrich reads these.
   */
  allNumbers: pattern.optional(),
  /** Page of a registration, with `{number}`. */
  record: z.string().optional(),
  licence: z.strictObject({
    name: z.string(),
    /** Text that users of the data must show. */
    attribution: z.string(),
    url: url.optional(),
  }),
  rhythm: z.string(),
  rows: z.number().positive(),
  /** Size of its files; a local file needs none. */
  downloadMegabytes: z.number().positive().optional(),
  /** Facts beyond names and numbers. */
  states: list(z.string()),
  certainty: z.enum(['real rows', 'documented sample', 'description']),
  /** Empty if you download the files and pass them. */
  files: list(place).default([]),
  /** Source that also has all its companies. */
  partOf: z.string().optional(),
  /** How to get the files, if a program cannot. */
  byHand: z.string().optional(),
  /** Files with the changes of the last days, the shortest time first. */
  deltas: list(z.strictObject({ days: z.number(), files: z.array(place) })).optional(),
  /** Further hosts that its addresses may lead to. */
  hosts: list(z.string()).optional(),
  requestsPerSecond: z.number().positive().optional(),
  /** The publisher wants a name and an e-mail address in `User-Agent`. */
  wantsContact: z.boolean().optional(),
  tables: list(table).refine((all) => all.length > 0, { error: 'must have a table' }),
  /** A few rows in the format of the publisher: lines of text, or a value of JSON. */
  sample: z
    .array(
      z.strictObject({
        file: z.string(),
        lines: list(z.string()).optional(),
        json: z.unknown().optional(),
      }),
    )
    .default([]),
})

/** Where a register is published and how its rows are read: data, not code. */
export type RegisterSource = z.infer<typeof source>

/** Checks the description of a source. `label` names it in errors. Throws REGISTER_SOURCE_INVALID. */
export function parseSource(value: unknown, label: string): RegisterSource {
  const parsed = source.safeParse(expandRanges(value, 'sample'))
  if (!parsed.success) {
    throw createSourceError(label, parsed.error.issues.map(describeIssue))
  }
  const faults: string[] = []
  for (const [index, one] of parsed.data.tables.entries()) {
    const { reader, columns: mapped, format, positions, element, adds } = one
    const at = `tables.${index}`
    if (reader !== undefined) continue
    if (mapped === undefined) faults.push(`${at} has no columns`)
    else if (mapped.name === undefined && !adds) faults.push(`${at}.columns has no name`)
    if (format === 'fixed' && positions === undefined) faults.push(`${at} has no positions`)
    if (format === 'xml' && element === undefined) faults.push(`${at} has no element`)
  }
  const areLocal = parsed.data.files.map((file) => 'url' in file && !url.safeParse(file.url).success)
  if (new Set(areLocal).size > 1) faults.push('files has both addresses and paths')
  if (faults.length > 0) throw createSourceError(label, faults)
  return parsed.data
}

function describeIssue({ path, code, message, ...issue }: z.core.$ZodIssue): string {
  const place = path.join('.') || 'it'
  if (code === 'unrecognized_keys') {
    const { keys = [] } = issue as { keys?: string[] }
    return `${place} has the unknown ${keys.length === 1 ? 'member' : 'members'} ${keys.join(', ')}`
  }
  if (code === 'invalid_type') {
    if (/^must/.test(message)) return `${place} is missing, or ${message}`
    if (/received undefined$/.test(message)) return `${place} is missing`
    const { expected = 'text' } = issue as { expected?: string }
    return `${place} must be ${expected === 'array' ? 'a list: ["…"]' : `of the type ${expected}`}`
  }
  if (code === 'invalid_union') return `${place} has none of the allowed forms`
  if (code === 'invalid_value') {
    const { values = [] } = issue as { values?: unknown[] }
    return `${place} must be one of ${values.join(', ')}`
  }
  return `${place} ${/^must/.test(message) ? message : `is not valid: ${message}`}`
}

function createSourceError(label: string, faults: readonly string[]): UserError {
  return new UserError('REGISTER_SOURCE_INVALID', `${label} is not a valid source: ${faults.join('; ')}`, {
    hint: 'docs/reference/register-files.md lists all members; an example: enrich registry sources --show companies-house',
  })
}

const catalog: readonly unknown[] = [
  gleif,
  sec,
  secListed,
  companiesHouse,
  france,
  norway,
  finland,
  estonia,
  latvia,
  czechia,
  lithuania,
  ireland,
  australia,
  australiaAbn,
  canada,
  singapore,
  india,
  japan,
  taiwan,
  usColorado,
  usConnecticut,
  usIowa,
  usNewYork,
  usOregon,
]

let sources: readonly RegisterSource[] | null = null

/** Returns the sources that enrich knows. */
export const listSources = (): readonly RegisterSource[] =>
  (sources ??= catalog.map((value) => parseSource(value, 'the catalogue')))

/** Returns a source by its id or its file `*.json`. Throws REGISTER_UNKNOWN, REGISTER_SOURCE_INVALID. */
export async function openSource(nameOrPath: string): Promise<RegisterSource> {
  if (/\.json$/i.test(nameOrPath)) return readSourceFile(nameOrPath)
  const ids = listSources().map(({ id }) => id)
  if (ids.includes(nameOrPath)) return getSource(nameOrPath)
  const near = ids.filter(
    (id) => id.startsWith(nameOrPath) || calculateDistance(id, nameOrPath.toLowerCase(), 3) <= 3,
  )
  throw new UserError('REGISTER_UNKNOWN', `there is no source named ${nameOrPath}`, {
    hint:
      near.length > 0
        ? `did you mean ${near.slice(0, 3).join(', ')}?`
        : `known sources: ${ids.join(', ')}; a source of your own is a file that ends with .json`,
  })
}

async function readSourceFile(path: string): Promise<RegisterSource> {
  let value: unknown
  try {
    value = JSON.parse(stripByteOrderMark(await readFile(path, 'utf8')))
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    const reason = cause instanceof SyntaxError ? 'it is not JSON' : describeFileError(code)
    throw new UserError('REGISTER_SOURCE_INVALID', `the source ${path} cannot be read: ${reason}`, {
      hint: 'check the path, and that the file is JSON',
      cause,
    })
  }
  return parseSource(value, path)
}

export const getSource = (id: string): RegisterSource =>
  parseSource(
    catalog.find((value) => (value as { id?: string }).id === id),
    id,
  )
