import { UserError } from '../core/errors.js'

/** Why DuckDB did not run a statement. */
interface DuckDbRefusal {
  /** One clause. Contains names of columns, tables and files, and no value of a row. */
  readonly what: string
  /** `null`: it depends on the statement. */
  readonly remedy: string | null
}

type Rule = readonly [pattern: RegExp, what: string, remedy?: string]

const damaged = 'restore it from a backup, or create it again'
const checkPath = 'check the path'

/** The first rule that matches holds. `$1` is the name in the pattern. DuckDB gives its errors as text only. */
const rules: readonly Rule[] = [
  [
    /version number \d+, but we can only read/,
    'another version of DuckDB wrote it',
    'update enrich, or export the table as Parquet with that version of DuckDB',
  ],
  [/not a valid DuckDB database/, 'it is not a database of DuckDB', checkPath],
  [/^[^\n]*\bencrypt/i, 'it is encrypted', 'decrypt it first'],
  [
    /Corrupt database file|Could not read enough bytes|Failed to load metadata/,
    'the file is damaged or cut off',
    damaged,
  ],
  [/No magic bytes/, 'it does not end as Parquet does: it is cut off, or of another format'],
  [/too small to be a Parquet/, 'it is too small to be Parquet'],
  [/TProtocolException|TTransportException/, 'the description of its columns is damaged'],
  [/[Uu]nsupported compression codec "?([^"\s]+)/, 'it is compressed by $1, which is not supported'],
  [/decompress|Snappy|ZSTD/i, 'its data cannot be decompressed'],
  [/^IO Error: .*"([^"\n]+)": No such file/, 'there is no file $1, or no folder for it', checkPath],
  [/^IO Error: No files found that match the pattern "([^"\n]+)"/, 'there is no file $1', checkPath],
  [
    /Permission denied|Operation not permitted/,
    'this user has no right to use the file',
    'check the permissions of the file and its folder',
  ],
  [/Read-only file system/, 'its disk is read-only', 'name a place on another disk'],
  [/attached in read-only mode/, 'the statement would change the database'],
  [/^Binder Error: Referenced column "([^"\n]+)" not found/, 'the column $1 does not exist'],
  [/^Binder Error: .* does not have a column named "([^"\n]+)"/, 'the column $1 does not exist'],
  [
    /^Binder Error: column "([^"\n]+)" must appear in the GROUP BY/,
    'the column $1 must be in GROUP BY or in an aggregate function',
  ],
  [
    /^Binder Error: Ambiguous reference to column name "([^"\n]+)"/,
    'the name $1 is ambiguous: put the name of its table before it',
  ],
  [
    /^Binder Error: No function matches [^\n]*'([^'\n]+)'/,
    'the function $1 does not exist for values of these types',
  ],
  [
    /^Binder Error: Could not choose [^\n]*"([^"\n]+)"/,
    'the function $1 does not exist for values of these types',
  ],
  [/^Catalog Error: Table with name "?(.+?)"? (?:does not exist|is not in)/, 'the table $1 does not exist'],
  [/^Catalog Error: Schema with name "?(.+?)"? does not exist/, 'the schema $1 does not exist'],
  [/^Catalog Error: Type with name "?(.+?)"? does not exist/, 'the type $1 does not exist'],
  [
    /^Catalog Error: \w* ?Function with name "?(.+?)"? (?:does not exist|is not in)/,
    'the function $1 does not exist',
  ],
  [/^Catalog Error: .*with name "?(.+?)"? already exists/, '$1 exists already'],
  [
    /^Missing Extension Error|^IO Error: Extension /,
    'it needs an extension of DuckDB, which enrich does not load',
  ],
  [/^Parser Error: syntax error at or near "([^"\n]+)"/, 'the syntax is wrong at $1'],
  [/^Parser Error: syntax error at end/, 'the statement is not complete'],
  [/^Constraint Error: Duplicate key "([^":\n]+):/, 'the key $1 does not allow two rows with the same value'],
  [/^Constraint Error: NOT NULL constraint failed: (\S+)/, 'the column $1 must not be empty (NOT NULL)'],
  [
    /^Constraint Error: CHECK constraint failed on table .* with expression (CHECK[^\n]+)/,
    'the constraint $1 refuses a row',
  ],
  [
    /^Constraint Error: .*foreign key [^\n]*key "([^":\n]+):[^\n]* does not exist/,
    'the foreign key on $1 refuses a row: the row to which it refers does not exist',
  ],
  [/^Constraint Error: .*foreign key/, 'other rows still refer to a row'],
  [/^Constraint Error/, 'a constraint refuses a row'],
  [
    /^Dependency Error|Could not drop/,
    'other objects of the database depend on it',
    'change or drop them first',
  ],
  [
    /^Conversion Error: Unimplemented type for cast \(([^\n]+)\)/,
    'values cannot be converted from one type to the other ($1)',
  ],
  [/^(?:Conversion|Invalid Input) Error: (?:Malformed JSON)/, 'a text is not valid JSON'],
  [/^Conversion Error: [^\n]*\b(?:date|time|timestamp|interval) field/, 'a text is not a valid date or time'],
  // Only known types, because the value of a row comes before the type.
  [
    /^Conversion Error: [^\n]*\b(?:to|type) (U?INT\d+|FLOAT|DOUBLE|BOOL|DECIMAL\(\d+,\d+\)|DATE|TIME|TIMESTAMP|UUID|BLOB)\b/,
    'a value cannot be converted to the type $1',
  ],
  [/^Conversion Error|^Mismatch Type Error/, 'a value cannot be converted to the type of its column'],
  [/^Out of Range Error/, 'a number is out of the range of its type'],
  [
    /^Invalid Input Error: More than one row returned/,
    'a part of the statement gives several rows where one is allowed',
  ],
  [
    /^Invalid Input Error: Expected \d+ parameters/,
    'the query contains a parameter, which has no value here',
  ],
  [/^Invalid (?:Input )?Error/, 'a value in it is not valid'],
  [
    /^(?:INTERNAL|FATAL) Error/,
    'DuckDB failed by an error of its own',
    'run the same command again; if it fails again, use another format',
  ],
]

/** Errors whose text has names and words of the statement only. */
const quotable =
  /^(?:Binder|Catalog|Parser|Not implemented|Permission|IO|Serialization|Transaction|TransactionContext) Error: (.{1,300})/

/** Explains an error of DuckDB in our words. One without a rule is quoted, if it cannot contain a value of a row. */
export function describeDuckDbError({ message }: Error): DuckDbRefusal {
  for (const [pattern, text, remedy = null] of rules) {
    const match = pattern.exec(message)
    if (match === null) continue
    const similar = findSimilarNames(message)
    return {
      what: text.replace('$1', () => match[1] ?? ''),
      remedy: remedy ?? (similar === null ? null : `names there: ${similar}`),
    }
  }
  const quoted = quotable.exec(message)?.[1]
  return { what: quoted === undefined ? 'DuckDB refused it' : `DuckDB refused it: "${quoted}"`, remedy: null }
}

/** Returns the columns that DuckDB proposes. */
function findSimilarNames(message: string): string | null {
  const list = /^Candidate bindings: (?:: )?(.+)$/m.exec(message)?.[1]
  return list === undefined ? null : list.replaceAll('"', '')
}

/** The error about decimals that DuckDB reads wrongly, in a way that cannot be corrected. */
export const createDecimalError = (label: string, column: string): UserError =>
  new UserError(
    'INPUT_PARQUET_INVALID',
    `${label}: the column ${JSON.stringify(column)} has decimals of more than 38 digits in a form that cannot be read`,
    {
      hint: 'write it as decimals of at most 38 digits, as floating-point numbers or as text, or leave it out',
    },
  )
