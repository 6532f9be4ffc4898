import * as z from 'zod'
import { parseByteSize } from '../core/text.js'
import { identifierKeys, identifierPlaceKeys } from '../core/identifiers.js'
import { encodingNames } from '../core/file-formats.js'
import {
  createChoice,
  inputFormat,
  outputFormat,
  createSwitch,
  option,
  parseDelimiter,
  parseIdColumns,
  parseList,
  parseListOfSome,
  parsePositive,
  parseSize,
  useForBoth,
  type IdentifierChoice,
} from './option.js'

const column = () => z.string().min(1)
const path = () => z.string().min(1)
const idColumns = (): z.ZodType<IdentifierChoice> =>
  z.union([z.literal('none'), z.partialRecord(z.enum([...identifierKeys, ...identifierPlaceKeys]), column())])
export const input = {
  paths: option({
    schema: () => z.array(path()).min(1).describe('Files or globs to read. `-` is standard input.'),
    path: 'input',
    example: ['fixtures/companies.csv'],
  }),
  columns: {
    name: option({
      schema: () => column().describe('The column with company names.'),
      flag: { names: '--name-column <name>', group: 'input', help: 'column with company names' },
      unset: 'detected by its header',
      manual:
        'Detects headers in about forty languages, like company_name, Account Name, Firma or Raison sociale. See ' +
        '[Which columns are used](docs/manual/your-own-list.md#which-columns-are-used).',
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
      unset: 'detected',
      manual:
        'Detected: location or headquarters; otherwise city, state or region, postal code and country of one address.',
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
      manual: 'Text that helps to identify the company.',
      example: [],
    }),
    identifiers: option({
      schema: () => idColumns().describe('The columns with identifiers. "none" uses no column.'),
      flag: {
        names: '--id-columns <key=column>',
        group: 'input',
        help: 'columns with identifiers, like lei=A,website=B, or none',
        parse: parseIdColumns,
      },
      unset: 'detected by header and content',
      manual:
        'Separate several with commas. If you pass this flag, no column is detected: only the named columns are ' +
        'used. The keys are listed under ' +
        '[Identifiers](docs/manual/your-own-list.md#identifiers).',
      example: 'none',
    }),
  },
  format: option({
    ...inputFormat,
    flag: {
      names: '--input-format <format>',
      group: 'input',
      help: 'format of the input; required for standard input',
    },
    meaning: 'The format of the input. Required for standard input.',
    unset: 'by extension',
    example: 'csv',
  }),
  delimiter: option({
    schema: () => z.string().length(1).describe('The field delimiter of CSV input. Detected by default.'),
    flag: {
      names: '--delimiter <char>',
      group: 'input',
      help: 'field delimiter of CSV input: a character or tab',
      parse: parseDelimiter,
    },
    unset: 'detected',
    meaning: 'The field delimiter of CSV input.',
    manual: 'Comma, semicolon, tab and vertical bar are detected. The flag also accepts `tab`.',
    example: ',',
  }),
  header: option({
    ...createSwitch('Whether the first row of CSV and Excel input names the columns.', {
      names: '--no-header',
      group: 'input',
      help: 'read the first row of CSV or Excel input as a row, not as a header',
      sets: false,
    }),
    manual:
      'The flag sets `false`: the columns are then `column_1`, `column_2` and so on. See [Files without a header](docs/manual/your-own-list.md#files-without-a-header).',
    defaults: useForBoth(true),
  }),
  acceptDoubtful: option({
    ...createSwitch('Run on a service that bills, even if the input may be read wrongly.', {
      names: '--accept-doubtful-input',
      group: 'asking',
      help: 'run on a service that bills, even if the input may be read wrongly',
      sets: true,
    }),
    manual: 'See [Doubtful input](docs/manual/your-own-list.md#doubtful-input).',
    defaults: useForBoth(false),
  }),
  query: option({
    schema: () =>
      z
        .string()
        .describe(
          'A file with an SQL query that is read from a database instead of a table. Empty: the table of the address.',
        ),
    flag: {
      names: '--query <file>',
      group: 'input',
      help: 'file with the SQL query to read from a database',
    },
    path: 'file',
    unset: 'the table of the address',
    meaning: 'A file with an SQL query that is read from a database instead of a table.',
    example: '',
    manual: 'One `SELECT`. See [Databases and object stores](docs/manual/databases-and-stores.md).',
  }),
  encoding: option({
    ...createChoice(encodingNames, 'The encoding of CSV, NDJSON or JSON input. Detected by default.'),
    flag: { names: '--encoding <name>', group: 'input', help: 'encoding of CSV, NDJSON or JSON input' },
    unset: 'detected',
    meaning: 'The encoding of CSV, NDJSON or JSON input.',
    manual:
      'Detection reads the whole file. A detected encoding other than `utf-8` is reported before the first request. ' +
      'See [Encodings](docs/reference/formats.md#encodings).',
    example: 'utf-8',
  }),
  sheet: option({
    schema: () =>
      z
        .string()
        .describe('The sheet of an Excel file: a name, or a number from 1. Empty: the first visible sheet.'),
    flag: {
      names: '--sheet <name>',
      group: 'input',
      help: 'sheet of Excel input: a name, or a number from 1',
    },
    unset: 'the first visible sheet',
    meaning: 'The sheet of an Excel file: a name, or a number from 1.',
    example: '',
  }),
  limit: option({
    schema: () => z.int().positive().describe('Read only the first N rows, for example for a pilot.'),
    flag: {
      names: '--limit <n>',
      group: 'input',
      help: 'read only the first n rows',
      parse: parsePositive,
    },
    example: 1_000_000,
  }),
  rowKey: option({
    schema: () =>
      column().describe(
        'The column with your unique key of each row, used to compare the outputs of several runs.',
      ),
    flag: {
      names: '--row-key <column>',
      group: 'reporting',
      help: 'column with your unique key of each row, to compare runs',
    },
    unset: 'rows are identified by their lookup',
    manual: 'Every row needs a key. See [Keys of rows](docs/manual/nightly-jobs.md#keys-of-rows).',
    example: 'account_id',
  }),
  dedupe: option({
    ...createSwitch('Send one lookup for all rows with the same name, location and context.', {
      names: '--no-dedupe',
      group: 'input',
      help: 'send one lookup for each row, even if several rows are the same',
      sets: false,
    }),
    meaning:
      'Send one lookup for each row, even if several rows have the same name, location and context. ' +
      'The flag sets `false`; with `true`, such rows share one lookup.',
    defaults: useForBoth(true),
  }),
}

export const output = {
  path: option({
    schema: () => path().describe('The file to write. `-` is standard output.'),
    flag: {
      names: '-o, --output <path>',
      group: 'output',
      help: 'file to write: .csv, .parquet, .ndjson or .xlsx; - for standard output',
    },
    path: 'output',
    manual: 'Required for commands that write an output.',
    example: 'out.parquet',
  }),
  mode: option({
    ...createChoice(['replace', 'append', 'upsert'], 'How rows are put into a table.'),
    flag: { names: '--mode <how>', group: 'output', help: 'how rows are put into a table' },
    unset: 'replace',
    manual:
      '`upsert` needs `--row-key`. See [Databases and object stores](docs/manual/databases-and-stores.md).',
    example: 'replace',
  }),
  dropColumns: option({
    ...createSwitch('Remove the columns of a replaced table that the output does not have.', {
      names: '--drop-columns',
      group: 'output',
      help: 'remove the columns of a replaced table that the output does not have',
      sets: true,
    }),
    manual: 'Without it, such a table is refused. See [Tables](docs/manual/databases-and-stores.md#tables).',
    example: false,
  }),
  format: option({
    ...outputFormat,
    flag: {
      names: '--format <format>',
      group: 'output',
      help: 'format of the output; required for standard output',
    },
    meaning: 'The format of the output. Required for standard output.',
    unset: 'by extension',
    example: 'parquet',
  }),
  basis: option({
    ...createChoice(['auto', 'inline', 'file', 'none'], 'Where to write the sources of each field.'),
    flag: { names: '--basis <where>', group: 'output', help: 'where to write the sources of each field' },
    unset: 'auto',
    manual:
      '`auto` is `inline` for Parquet, NDJSON and Excel (a separate sheet), `file` for CSV, and `none` for CSV to ' +
      'standard output. With `--columns`, `auto` and `inline` need the column `basis` in the list.',
    example: 'auto',
  }),
  columns: option({
    schema: () => z.array(column()).min(1).describe('The columns to add. Defaults to all.'),
    flag: {
      names: '--columns <a,b>',
      group: 'output',
      help: 'result columns to add to the output',
      parse: parseListOfSome,
    },
    unset: 'all',
    meaning: 'The columns to add.',
    manual: 'Write names with or without the prefix.',
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
    ...createSwitch('Start CSV output with a byte order mark, which Excel needs for UTF-8.', {
      names: '--bom',
      group: 'output',
      help: 'start CSV output with a byte order mark, for Excel',
      sets: true,
    }),
    example: false,
  }),
  prefix: option({
    schema: () =>
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,40}$/, 'letters, digits, _ . -')
        .describe('The prefix of the names of added columns.'),
    flag: { names: '--prefix <text>', group: 'output', help: 'prefix of the names of added columns' },
    defaults: useForBoth('enrich_'),
  }),
  memory: option({
    schema: () =>
      z
        .string()
        .refine((text) => parseByteSize(text) !== null, { error: 'a number and MB or GB, like 1GB' })
        .describe('The memory limit of the process while it writes Parquet output.'),
    flag: {
      names: '--memory <size>',
      group: 'output',
      help: 'memory limit of Parquet output, like 2GB',
      parse: parseSize,
    },
    unset: '1GB, at most a quarter of the machine',
    manual: 'The minimum is 400MB. More memory is faster if there are many answers.',
    example: '1GB',
  }),
  changes: option({
    schema: () => path().describe('A file for the changes since the previous output.'),
    flag: {
      names: '--changes <path>',
      group: 'reporting',
      help: 'write the changes since the previous output: .csv, .parquet, .ndjson or .xlsx',
    },
    path: 'output',
    manual: 'The extension sets the format. See [Changes](docs/reference/changes.md).',
    example: 'changes.csv',
  }),
  partial: option({
    ...createSwitch('Write the output even if the run stops early.', {
      names: '--partial',
      group: 'partial',
      help: 'write the output even if the run stops early',
      sets: true,
    }),
    example: false,
  }),
  report: option({
    schema: () => path().describe('A file for the report of the run, in HTML.'),
    flag: {
      names: '--report <path>',
      group: 'reporting',
      help: 'write a report of the run as one HTML file',
    },
    path: 'report',
    unset: 'none',
    manual: 'See [The report of a run](docs/manual/nightly-jobs.md#report).',
    example: 'report.html',
  }),
}
