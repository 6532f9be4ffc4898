import * as z from 'zod'
import { formatCount, parseByteSize } from '../core/text.js'
import { parseDurationMs } from '../core/time.js'
import { parseListenAddress } from '../core/server-addresses.js'
import type { PathUse } from '../core/local-path.js'
import type { RunOrder } from '../pipeline/run.js'
import { identifierKeys, identifierPlaceKeys, numberKeys } from '../core/identifiers.js'

/** Commands select their flags by group; within a group, they have the order of the table. */
export type FlagGroup =
  | 'config'
  | 'input'
  | 'output'
  | 'partial'
  | 'checkpoint'
  | 'decisions'
  | 'service'
  | 'asking'
  | 'webhook'
  | 'reporting'
  | 'review'
  | 'run'

/** The value of a flag, or a sentence about its error. */
export type Parsed<Value> = { readonly value: Value } | { readonly fault: string }

/** A flag without a config key. */
export interface CallFlag {
  /** In the syntax of commander: `-o, --output <path>`. */
  readonly names: string
  readonly group: FlagGroup
  /** Its line in `--help`, without the default. */
  readonly help: string
  readonly choices?: readonly string[]
  readonly default?: string
  /** The default in words. */
  readonly unset?: string
  /** Additional text for the manual. */
  readonly manual?: string
}

interface OptionFlag<Value> extends Pick<CallFlag, 'names' | 'group' | 'help'> {
  /** Parser of a flag with a value; by default the text is checked against the choices, or used unchanged. */
  readonly parse?: (text: string) => Parsed<Value>
  /** Value that a flag without an argument sets. */
  readonly sets?: Value
  /** Text that is used if the argument of the flag is omitted. */
  readonly preset?: string
}

/** Without a base URL, the embedded service is used; its defaults differ. */
export type ServiceKind = 'hosted' | 'embedded'

interface OptionEntry<Value, Default> {
  /** Creates the schema. Its description is for editors and for the manual. */
  readonly schema: () => z.ZodType<Value>
  /** All allowed values, if they are few. */
  readonly choices?: readonly string[]
  readonly flag?: OptionFlag<NoInfer<Value>>
  /** Environment variable that overrides the file. */
  readonly variable?: string
  /** `null` is a value, such as no limit. */
  readonly defaults?: Readonly<Record<ServiceKind, Default>>
  /** Behaviour without a value, in words. */
  readonly unset?: string
  /** Use of the path, which must be local. */
  readonly path?: PathUse
  /** Replaces the description in the manual. */
  readonly meaning?: string
  /** Additional text for the manual. */
  readonly manual?: string
  /** Value in pipeline.config.example.json, if not the default of a hosted service. */
  readonly example?: NoInfer<Value>
}

/** A setting with all of its texts. Its position in the table is its key. */
export interface Option<Value = unknown, Default = unknown> extends OptionEntry<Value, Default> {
  readonly isOption: true
}

export function option<Value, const Default = undefined>(
  entry: OptionEntry<Value, Default>,
): Option<Value, Default> {
  return { ...entry, isOption: true }
}

/** A setting that is on or off, and the flag that changes it. */
export const createSwitch = (description: string, flag: OptionFlag<boolean>) => ({
  schema: () => z.boolean().describe(description),
  flag,
})

/** A setting with one of a few values. */
export const createChoice = <const Choice extends string>(
  choices: readonly Choice[],
  description: string,
) => ({
  choices,
  schema: () => z.enum(choices).describe(description),
})

const englishNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Codes that Intl knows and ISO 3166-1 does not assign. Those of former countries have another canonical code. */
const unassigned = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))

const isCountryCode = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) &&
  !unassigned.has(code) &&
  englishNames.of(code) !== undefined &&
  new Intl.Locale(`und-${code}`).region === code

const getOwnName = (code: string): string | undefined => {
  const { language } = new Intl.Locale(`und-${code}`).maximize()
  return new Intl.DisplayNames([language], { type: 'region' }).of(code)
}

/** Finds a country by its name in English or in its own language. The table of all names takes longer to load than a command to start. */
function findCodeByName(text: string): string | null {
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at))
  const codes = letters.flatMap((one) => letters.map((other) => one + other))
  const name = text.trim().toLowerCase()
  const all = codes.filter(isCountryCode)
  const isName = (of: (code: string) => string | undefined) => (code: string) =>
    of(code)?.toLowerCase() === name
  return all.find(isName((code) => englishNames.of(code))) ?? all.find(isName(getOwnName)) ?? null
}

export const createCountrySchema = () =>
  z.string().refine(isCountryCode, { error: 'an ISO 3166-1 code, like DE' })

export const createDurationSchema = () =>
  z
    .string()
    .refine((text) => parseDurationMs(text) !== null, { error: 'a number and s, m, h or d, like 30d' })

/** An address to listen on. The empty text, if allowed, means none. */
export const createListenSchema = (error: string, mayBeEmpty = true) =>
  z.string().refine((text) => (mayBeEmpty && text === '') || parseListenAddress(text) !== null, { error })

export const createLimitSchema = (of: string) =>
  z
    .int()
    .positive()
    .max(1_000_000)
    .describe(`Maximum number of ${of} in each window (\`limits.windowSeconds\`, default: 60).`)

export const useForBoth = <const Default>(value: Default): Record<ServiceKind, Default> => ({
  hosted: value,
  embedded: value,
})

/** Options by key, and groups of them. */
export interface OptionTable {
  readonly [key: string]: Option | OptionTable
}

/** A config file; every key is optional. */
export type ConfigOf<Node> =
  Node extends Option<infer Value>
    ? Value
    : { -readonly [Key in keyof Node]?: ConfigOf<Node[Key]> | undefined }

/** A config with defaults; only keys without a default are optional. */
export type FilledOf<Node> =
  Node extends Option<infer Value, infer Default>
    ? Value | Default
    : {
        readonly [Key in keyof Node as undefined extends FilledOf<Node[Key]> ? never : Key]: FilledOf<
          Node[Key]
        >
      } & {
        readonly [Key in keyof Node as undefined extends FilledOf<Node[Key]> ? Key : never]?:
          FilledOf<Node[Key]> | undefined
      }

export const isOption = (node: Option | OptionTable): node is Option => node['isOption'] === true

/** Lists the options of a table in order, each with the path of its key. */
export function listOptions(
  table: OptionTable,
  above: readonly string[] = [],
): { path: string[]; option: Option }[] {
  return Object.entries(table).flatMap(([key, node]) => {
    const path = [...above, key]
    return isOption(node) ? [{ path, option: node }] : listOptions(node, path)
  })
}

/**
 * Builds a schema in which unknown keys are errors. With `value`, only the schemas of its keys are created, because most
 * configs have few keys and creating schemas is slow.
 */
export function buildSchema<Table extends OptionTable>(
  table: Table,
  value?: unknown,
): z.ZodType<ConfigOf<Table>> {
  const isFor = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  const shape = Object.entries(table)
    .filter(([key]) => isFor === null || Object.hasOwn(isFor, key))
    .map(([key, node]) => [key, isOption(node) ? node.schema() : buildSchema(node, isFor?.[key])] as const)
  const whole = z.strictObject(Object.fromEntries(shape))
  const isWhole = isFor !== null && shape.every(([key]) => isFor[key] !== undefined)
  return (isWhole ? whole : whole.partial()) as unknown as z.ZodType<ConfigOf<Table>>
}

export function fillDefaults<Table extends OptionTable>(
  table: Table,
  config: ConfigOf<Table>,
  kind: ServiceKind,
): FilledOf<Table> {
  const given = config as Readonly<Record<string, unknown>>
  const filled: Record<string, unknown> = {}
  for (const [key, node] of Object.entries(table)) {
    const value = isOption(node)
      ? (given[key] ?? node.defaults?.[kind])
      : fillDefaults(node, given[key] ?? {}, kind)
    if (value !== undefined) filled[key] = value
  }
  return filled as FilledOf<Table>
}

/** Returns the value at a path, or `undefined`. */
export function getValueAt(config: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config)
}

export function parseList(text: string): { value: string[] } {
  const parts = text.split(',').map((part) => part.trim())
  return { value: parts.filter((part) => part !== '') }
}

export function parseListOfSome(text: string): Parsed<string[]> {
  const list = parseList(text)
  return list.value.length === 0 ? { fault: 'It must name at least one.' } : list
}

/** The largest number that a flag takes, unless it has a smaller limit. */
const numberMax = 999_999_999_999

/** Creates a parser of whole numbers in digits; every other text has the same fault, which names the limits. */
export function createNumberParser(min: number, max = numberMax, orWord = '') {
  return (text: string): Parsed<number> => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN
    return value >= min && value <= max
      ? { value }
      : { fault: `It must be a whole number from ${min} to ${formatCount(max)}${orWord}.` }
  }
}

export const parseWholeNumber = createNumberParser(0)

export const parsePositive = createNumberParser(1)

export function parseDuration(text: string): Parsed<string> {
  return parseDurationMs(text) === null
    ? { fault: 'It must be a number and s, m, h or d, like 30d.' }
    : { value: text }
}

export function parseCountry(text: string): Parsed<string> {
  const code = text.trim().toUpperCase().replace(/^UK$/, 'GB')
  const found = isCountryCode(code) ? code : findCodeByName(text)
  return found === null
    ? { fault: 'It must be an ISO 3166-1 code or a name, like DE or Germany.' }
    : { value: found }
}

export function parseSize(text: string): Parsed<string> {
  return parseByteSize(text) === null
    ? { fault: 'It must be a number and MB or GB, like 1GB.' }
    : { value: text }
}

export function parseDelimiter(text: string): Parsed<string> {
  const value = text === '\\t' || text === 'tab' ? '\t' : text
  return value.length === 1 ? { value } : { fault: 'It must be one character, or tab.' }
}

export function parseListen(text: string): Parsed<string> {
  return parseListenAddress(text) === null
    ? { fault: 'It must be host:port, like 127.0.0.1:8788.' }
    : { value: text }
}

/** The columns of identifiers, or `none`. */
export type IdentifierChoice = NonNullable<RunOrder['source']['columns']['identifiers']>

/** Parses columns of identifiers by their kind: `lei=Kennung,website=Web`, or `none`. */
export function parseIdColumns(text: string): Parsed<IdentifierChoice> {
  if (text.trim().toLowerCase() === 'none') return { value: 'none' }
  const known: readonly string[] = [...identifierKeys, ...identifierPlaceKeys]
  const columns: Record<string, string> = {}
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name = '', column = ''] = /^\s*([a-z_\d]+)\s*=\s*(.*\S)\s*$/i.exec(part) ?? []
    const key = name.toLowerCase()
    if (!known.includes(key))
      return { fault: `It must be none, or KEY=COLUMN with a key of ${known.join(', ')}.` }
    if (columns[key] !== undefined)
      return { fault: `It names ${key} twice. A kind has one column: unite the columns in the input first.` }
    columns[key] = column
  }
  if (![...identifierKeys, ...numberKeys].some((key) => columns[key] !== undefined))
    return { fault: 'It must name an identifier.' }
  return { value: columns }
}

export const inputFormat = createChoice(
  ['csv', 'parquet', 'ndjson', 'json', 'xlsx'],
  'The format of the input. Required for standard input; defaults to the file extension.',
)
export const outputFormat = createChoice(
  ['csv', 'parquet', 'ndjson', 'xlsx', 'csv.gz', 'ndjson.gz'],
  'The format of the output. Required for standard output; defaults to the file extension.',
)
