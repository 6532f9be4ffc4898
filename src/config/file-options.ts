import * as z from 'zod'
import { parseByteSize } from '../core/text.js'
import {
  identifierKeys,
  identifierPlaceKeys,
  type IdentifierColumns,
} from '../pipeline/lookups/identifier-columns.js'
import { encodingNames } from '../tables/encodings/names.js'
import {
  oneOf,
  option,
  parseDelimiter,
  parseIdColumns,
  parseList,
  parseListOfSome,
  parsePositive,
  parseSize,
  same,
} from './option.js'

const column = () => z.string().min(1)
const path = () => z.string().min(1)
const idColumns = (): z.ZodType<IdentifierColumns | 'none'> =>
  z.union([z.literal('none'), z.partialRecord(z.enum([...identifierKeys, ...identifierPlaceKeys]), column())])
const inputFormat = oneOf(
  ['csv', 'parquet', 'ndjson', 'json', 'xlsx'],
  'By extension if left out; needed for "-".',
)
const outputFormat = oneOf(
  ['csv', 'parquet', 'ndjson', 'xlsx', 'csv.gz', 'ndjson.gz'],
  'By extension if left out; needed for "-".',
)

export const input = {
  paths: option({
    schema: () => z.array(path()).min(1).describe('Files or globs to read; "-" is standard input.'),
    path: 'input',
    example: ['fixtures/companies.csv'],
  }),
  columns: {
    name: option({
      schema: () => column().describe('The column with company names.'),
      flag: { names: '--name-column <name>', group: 'input', help: 'the column with company names' },
      unset: 'found by its header',
      manual:
        'Headers are known in some twenty languages: company_name, Account Name, Firma, Raison sociale, 会社名, ' +
        'Customer, name and more. Case, spaces, signs and marks do not count, see ' +
        '[Which columns are asked](getting-started.md#which-columns-are-asked).',
      example: 'company_name',
    }),
    location: option({
      schema: () => z.array(column()).describe('Columns joined with ", " into the location.'),
      flag: {
        names: '--location-columns <a,b>',
        group: 'input',
        help: 'columns joined into the location',
        parse: parseList,
      },
      unset: 'found',
      manual:
        'Found is location or headquarters, or else city, state or region, postal code and country of one place.',
      example: ['city', 'state', 'country'],
    }),
    context: option({
      schema: () => z.array(column()).describe('Columns joined with ", " into the context.'),
      flag: {
        names: '--context-columns <a,b>',
        group: 'input',
        help: 'columns joined into the context',
        parse: parseList,
      },
      manual: 'Text that says which company is meant.',
      example: [],
    }),
    identifiers: option({
      schema: () =>
        idColumns().describe('Columns by the identifier that they hold, and no others; "none": no column.'),
      flag: {
        names: '--id-columns <key=column>',
        group: 'input',
        help: 'columns of identifiers, like lei=A,website=B, or none',
        parse: parseIdColumns,
      },
      unset: 'found by header and content',
      manual:
        'Several with commas. Keys: `lei`, `cik`, `registration_id` and the `registration_country` of its register, `ein`, `bic`, `ticker` and its ' +
        '`exchange`, `website`, `email`. See [Identifiers](inputs-and-outputs.md#identifiers).',
      example: 'none',
    }),
  },
  format: option({
    ...inputFormat,
    flag: { names: '--input-format <format>', group: 'input', help: 'needed for standard input' },
    meaning: 'The format of the input; needed for "-".',
    unset: 'by extension',
    example: 'csv',
  }),
  delimiter: option({
    schema: () => z.string().length(1).describe('Of a CSV file; found by itself if left out.'),
    flag: {
      names: '--delimiter <char>',
      group: 'input',
      help: 'of a CSV input, or tab',
      parse: parseDelimiter,
    },
    unset: 'found',
    meaning: 'The delimiter of a CSV file.',
    manual: 'Comma, semicolon, tab and bar are found; the flag takes `tab` too.',
    example: ',',
  }),
  encoding: option({
    ...oneOf(encodingNames, 'Of a CSV, NDJSON or JSON file; found by itself if left out.'),
    flag: { names: '--encoding <name>', group: 'input', help: 'of a CSV, NDJSON or JSON input' },
    unset: 'found',
    meaning: 'The encoding of a CSV, NDJSON or JSON file.',
    manual:
      'The whole file is looked at: it is `utf-8`, or the encoding found is reported before anything is asked. ' +
      'The names are in [Encodings](inputs-and-outputs.md#encodings).',
    example: 'utf-8',
  }),
  sheet: option({
    schema: () => z.string().describe('Of an Excel file: a name, or a number from 1 on; empty is none.'),
    flag: { names: '--sheet <name>', group: 'input', help: 'of an Excel input: name or number' },
    unset: 'the first visible one',
    meaning: 'The sheet of an Excel file, by name, or by number from 1 on. Empty is none.',
    example: '',
  }),
  limit: option({
    schema: () => z.int().positive().describe('Read only the first rows: a pilot.'),
    flag: {
      names: '--limit <n>',
      group: 'input',
      help: 'only the first n rows: a pilot',
      parse: parsePositive,
    },
    example: 1_000_000,
  }),
  rowKey: option({
    schema: () =>
      column().describe("The column with the user's own key of each row, by which outputs are compared."),
    flag: {
      names: '--row-key <column>',
      group: 'reporting',
      help: 'your own key of each row, for changes between runs',
    },
    unset: 'rows are known by what they ask',
    meaning: 'The column with your own key of each row, by which outputs of several runs are compared.',
    manual: 'Each row needs one, and none may occur twice. See [Keys of rows](changes.md#keys-of-rows).',
    example: 'account_id',
  }),
  dedupe: option({
    schema: () => z.boolean().describe('Rows that ask the same share one lookup.'),
    flag: {
      names: '--no-dedupe',
      group: 'input',
      help: 'rows that ask the same are each asked, and each billed',
      sets: false,
    },
    defaults: same(true),
  }),
}

export const output = {
  path: option({
    schema: () => path().describe('The file to write; "-" is standard output.'),
    flag: {
      names: '-o, --output <path>',
      group: 'output',
      help: 'the file to write: .csv, .parquet, .ndjson or .xlsx; - for standard output',
    },
    path: 'output',
    manual: 'Required where an output is written.',
    example: 'out.parquet',
  }),
  format: option({
    ...outputFormat,
    flag: { names: '--format <format>', group: 'output', help: 'needed for standard output' },
    meaning: 'The format of the output; needed for "-".',
    unset: 'by extension',
    example: 'parquet',
  }),
  basis: option({
    ...oneOf(['auto', 'inline', 'file', 'none'], 'Where the sources of each field go.'),
    flag: { names: '--basis <where>', group: 'output', help: 'where the sources of each field go' },
    unset: 'auto',
    manual:
      '`auto` is `inline` in Parquet, NDJSON and Excel, `file` beside a CSV, `none` for a CSV to standard output. ' +
      'Inline in Excel it is a sheet of its own.',
    example: 'auto',
  }),
  columns: option({
    schema: () => z.array(column()).min(1).describe('The added columns wanted; all if left out.'),
    flag: {
      names: '--columns <a,b>',
      group: 'output',
      help: 'the added columns wanted',
      parse: parseListOfSome,
    },
    unset: 'all',
    meaning: 'The added columns wanted.',
    manual: 'Names with or without the prefix.',
    example: [
      'status',
      'confidence',
      'entity_id',
      'legal_name',
      'website',
      'formatted_address',
      'jurisdiction',
      'registration_id',
      'lei',
      'candidate_legal_name',
      'error',
      'basis',
    ],
  }),
  bom: option({
    schema: () => z.boolean().describe('A byte order mark in front of CSV, for spreadsheets.'),
    flag: {
      names: '--bom',
      group: 'output',
      help: 'a byte order mark in front of CSV, for spreadsheets',
      sets: true,
    },
    example: false,
  }),
  prefix: option({
    schema: () =>
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,40}$/, 'letters, digits, _ . -')
        .describe('In front of the added columns.'),
    meaning: 'What stands in front of the names of the added columns.',
    flag: { names: '--prefix <text>', group: 'output', help: 'in front of the added columns' },
    defaults: same('enrich_'),
  }),
  memory: option({
    schema: () =>
      z
        .string()
        .refine((text) => parseByteSize(text) !== null, { error: 'a number and MB or GB, like 1GB' })
        .describe('What writing Parquet may hold in memory.'),
    flag: {
      names: '--memory <size>',
      group: 'output',
      help: 'what writing Parquet may hold in memory, like 2GB',
      parse: parseSize,
    },
    unset: '1GB, at most a quarter of the machine',
    manual: 'More is quicker where there are many answers; 400MB is the least.',
    example: '1GB',
  }),
  changes: option({
    schema: () => path().describe('Where to write what changed against the output before.'),
    flag: {
      names: '--changes <path>',
      group: 'reporting',
      help: 'what changed against the output before: .csv, .parquet, .ndjson or .xlsx',
    },
    path: 'output',
    manual: 'In the format that its name tells. See [Changes](changes.md#changes).',
    example: 'changes.csv',
  }),
  partial: option({
    schema: () => z.boolean().describe('Write the output also when the run stops early.'),
    flag: {
      names: '--partial',
      group: 'partial',
      help: 'write the output also when the run stops early',
      sets: true,
    },
    example: false,
  }),
  report: option({
    schema: () => path().describe('Where the report of the run is written: one HTML file.'),
    flag: {
      names: '--report <path>',
      group: 'reporting',
      help: 'a report of the run, as one HTML file',
    },
    path: 'output',
    unset: 'none',
    manual: 'What `enrich report` writes, see [The report of a run](report.md).',
    example: 'report.html',
  }),
}
