/** An error of the server, as the driver gives it. `where` and some messages contain values of rows. */
export interface ServerError {
  /** SQLSTATE: five characters. */
  readonly code: string
  /** In the language of the server. */
  readonly message: string
  readonly where?: string | undefined
  readonly column?: string | undefined
  readonly constraint?: string | undefined
  /** Function of the server that raised the error. */
  readonly routine?: string | undefined
}

/** Why the server refused a statement. */
interface Refusal {
  /** One clause. Contains names of the database, and no value of a row. */
  readonly what: string
  /** `null`: it depends on the statement. */
  readonly remedy: string | null
}

type RefusalText = readonly [what: string, remedy?: string]

const readLog = 'see the log of the server, then run the same command again'
const runAgain = 'run the same command again'
const endLock = 'see pg_stat_activity for the session that holds the lock, then run the same command again'
const raiseTimeout =
  'raise statement_timeout of the user, or see pg_stat_activity for sessions that hold locks'

const tooLong: RefusalText = ['a text is too long for {type}']
const outOfRange: RefusalText = ['a number is out of the range of {type}']
const invalidText: RefusalText = ['a text is not a valid value of {type}']
const invalidDate: RefusalText = ['a text is not a valid date or time']
const notUtf8: RefusalText = [
  'a text contains bytes or characters that the encoding of the database does not have',
]
const invalidJson: RefusalText = ['a text is not valid JSON']
const tooComplex: RefusalText = ['the statement is too complex for the server', 'use a simpler query']
const ambiguous: RefusalText = ['the name {name} is ambiguous: put the name of its table before it']
const missingObject: RefusalText = ['{name} does not exist']
const wrongType: RefusalText = ['values of one type are used as those of another']
const unfitDefinition: RefusalText = ['the definition of an object of the database is not valid{quote}']
const exists: RefusalText = ['{name} exists already']
const conflict: RefusalText = ['another transaction changed the same rows', runAgain]
const byRule: RefusalText = ['{function} refused it']
const otherServer: RefusalText = [
  'another server, to which a foreign table leads, did not do its part',
  'check the foreign table and its server',
]
const damagedServer: RefusalText = [
  'data on the server is damaged',
  'see the log of the server: restore the table or the index from a backup',
]

/**
 * Texts by SQLSTATE, or by its first two characters. `{name}`: the first name that the message quotes; `{type}`,
 * `{object}`, `{column}`, `{constraint}`, `{function}`: the same for their kind. `{quote}`: the whole message.
 */
const refusalTexts: Readonly<Record<string, RefusalText>> = {
  '0A': ['PostgreSQL does not support it{quote}'],
  '21': ['a part of the statement gives several rows where one is allowed'],
  '22': ['a value does not fit {type}'],
  '22001': tooLong,
  '22003': outOfRange,
  '22007': invalidDate,
  '22008': ['a date or time is out of range'],
  '22012': ['a number is divided by zero'],
  '22021': notUtf8,
  '22023': ['an argument of a function is not valid'],
  '22030': invalidJson,
  '22032': invalidJson,
  '2203': invalidJson,
  '22P02': invalidText,
  '22P03': invalidText,
  '22P04': ['the rows do not fit the columns of the table'],
  '22P05': notUtf8,
  '23': ['a constraint refuses a row'],
  '23001': ['other rows still refer to a row (constraint {constraint})'],
  '23502': ['{column} must not be empty (NOT NULL)'],
  '23503': ['the foreign key {constraint} refuses a row: the row to which it refers does not exist'],
  '23505': ['{constraint} does not allow two rows with the same key'],
  '23514': ['the check {constraint} refuses a row'],
  '23P01': ['{constraint} does not allow a row, because it overlaps another one'],
  '25': ['the transaction does not allow the statement{quote}', runAgain],
  '25006': ['the server does not accept writes', 'connect to the primary, or end the read-only mode'],
  '25P02': ['an earlier statement of the transaction failed', readLog],
  '26': ['a prepared statement was lost', 'let the pool keep a session for each transaction'],
  '28': ['the server refuses the user or the password', 'check the user, the password and pg_hba.conf'],
  '2B': ['other objects of the database depend on {name}', 'change or drop them first'],
  '34': ['a cursor was lost', runAgain],
  '38': byRule,
  '39': byRule,
  '3D': ['the database {name} does not exist', 'check the name of the database'],
  '3F': ['the schema {name} does not exist', 'check the name of the schema'],
  '40': conflict,
  '40001': conflict,
  '40P01': ['two transactions waited for each other', runAgain],
  '42501': ['the user has no right to use {object}', 'grant the missing right to the user'],
  '42601': ['the syntax is wrong at {name}'],
  '42602': ['a name is not valid'],
  '42622': ['a name is too long'],
  '42701': ['the column {name} is named twice'],
  '42702': ambiguous,
  '42703': ['the column {name} does not exist'],
  '42704': missingObject,
  '42710': exists,
  '42712': ['the table {name} is named twice'],
  '42723': exists,
  '42725': ambiguous,
  '42803': ['the column {name} must be in GROUP BY or in an aggregate function'],
  '42804': wrongType,
  '42809': ['an object of the database is of another kind than the statement needs{quote}'],
  '42846': wrongType,
  '42883': ['{object} does not exist for values of these types'],
  '428C9': ['the column {name} is generated by the server, and takes no values'],
  '42P01': ['the table {name} does not exist'],
  '42P02': ['the query contains a parameter like $1, which has no value here'],
  '42P04': exists,
  '42P06': exists,
  '42P07': exists,
  '42P08': wrongType,
  '42P09': ambiguous,
  '42P16': unfitDefinition,
  '42P18': ['the type of a value is not clear: write it as value::type'],
  '42P22': ['the collation of a text is not clear: write COLLATE'],
  '44': ['the view {name} does not show a row that is written to it'],
  '53': ['the server lacks memory or another resource', readLog],
  '53100': [
    'the disk of the server is full',
    'free disk space on the server, then run the same command again',
  ],
  '53200': ['the server has not enough memory', readLog],
  '53300': ['the server accepts no more connections', 'close other sessions, or raise max_connections'],
  '54': tooComplex,
  '54011': [
    'a table would have more than the 1,600 columns that PostgreSQL allows',
    'choose fewer columns by --columns; dropped columns count too, until the table is created again',
  ],
  '55': ['the server is not in a state in which it can do it{quote}', readLog],
  '55006': ['another session uses {name}', endLock],
  '55P03': ['another session holds a lock on the table', endLock],
  '57': ['the server ended the statement{quote}', readLog],
  '57014': ['the statement took too long, or was cancelled', raiseTimeout],
  '58': ['the server cannot read or write its files', readLog],
  F0: ['the configuration of the server is wrong{quote}', readLog],
  HV: otherServer,
  P0: byRule,
  XX: ['the server failed by an error of its own', readLog],
  XX001: damagedServer,
  XX002: damagedServer,
}

/** Classes whose messages have names and words of the statement only. */
const quotableClasses = /^(0|2[4-9BDF]|3[4BDF]|42|5[3-8]|F0)/

/**
 * Explains an error of the server in our words. An error without a text of its own is printed with its SQLSTATE, and with
 * the message of the server if that cannot contain a value of a row.
 */
export function describeRefusal(error: ServerError): Refusal {
  const found = findText(error)
  if (found === undefined) {
    return { what: fillText(`PostgreSQL refused it (SQLSTATE ${error.code}){quote}`, error), remedy: null }
  }
  const [text, remedy = null] = found
  return { what: fillText(text, error), remedy }
}

const quotedCharsMax = 300

/** A function of the database may raise any SQLSTATE, with any text. */
function findText(error: ServerError): RefusalText | undefined {
  const { code, routine } = error
  if (routine === 'exec_stmt_raise') return byRule
  const known = refusalTexts[code] ?? refusalTexts[code.slice(0, 4)] ?? refusalTexts[code.slice(0, 2)]
  return findSpecialText(error) ?? known
}

/** Texts for SQLSTATEs with several meanings. */
function findSpecialText({ code, message, constraint }: ServerError): RefusalText | null {
  if (code === '42501' && message.includes('row-level security'))
    return [
      'the row-level security of the table {name} does not allow it',
      'change the policy, or the rights of the user',
    ]
  if (code === '55000' && message.includes('replica identity'))
    return ['the table {name} publishes deletions without a replica identity', 'give the table a primary key']
  if (code === '23514' && constraint === undefined) return ['no partition of the table takes a row']
  if (code === '42601' && findQuoted(message) === null) return ['the statement is not complete']
  return null
}

/** Names that the error does not have are replaced by a general word, or left out. */
function fillText(text: string, error: ServerError): string {
  const { code, message, column, constraint, where = '' } = error
  const type = knownType.exec(message)?.[1]
  const ofFunction = /([\w.]+)\(/.exec(where)?.[1]
  const names: Readonly<Record<string, readonly [name: string | null | undefined, general: string]>> = {
    name: [findQuoted(message) ?? findUnquoted(message), ''],
    object: [findObject(message), 'an object of the database'],
    type: [type === undefined ? null : `the type ${type}`, 'its column'],
    column: [column === undefined ? null : `the column ${column}`, 'a column'],
    quote: [quotableClasses.test(code) ? `: "${message.slice(0, quotedCharsMax)}"` : null, ''],
    constraint: [constraint, ''],
    function: [
      ofFunction === undefined ? null : `the function ${ofFunction}`,
      'a trigger or function of the database',
    ],
  }
  return text
    .replace(/\{(\w+)\}/g, (_, kind: string) => {
      const [name, general] = names[kind] ?? [null, '']
      return name ?? general
    })
    .replace(/ at $|\((?:constraint )?\)/, '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=:)|^ | $/g, '')
    .replace(/^(?=does not exist|exists already|is an object|does not allow)/, 'an object of the database ')
}

/** Returns the first name that the message quotes, in the quotes of any language. */
const findQuoted = (message: string): string | null =>
  /["«»„“”『「]\s?(.+?)\s?["«»„“”』」]/u.exec(message)?.[1] ?? null

const findUnquoted = (message: string): string | null =>
  /^column ([\w.]+) (?:does|must)/.exec(message)?.[1] ?? null

const objectKinds =
  'table|view|materialized view|sequence|schema|database|function|column|relation|type|foreign server|large object'

/** Returns an object with its kind, like `the table companies`. */
function findObject(message: string): string | null {
  const missing =
    /^(function|operator|procedure|aggregate)(?: does not exist:)? (.+?)(?: does not exist)?$/.exec(message)
  if (missing !== null) return `the ${missing[1] ?? ''} ${missing[2] ?? ''}`
  const found = new RegExp(`(?:for|of) (${objectKinds}) (\\S+)$`).exec(message)
  return found === null
    ? null
    : `the ${found[1] === 'relation' ? 'table' : (found[1] ?? '')} ${found[2] ?? ''}`
}

/** Only known names, because a message may have the value of a row before the type. */
const knownType =
  /\b((?:smallint|integer|bigint|numeric|real|double precision|boolean|date|interval|uuid|jsonb?|bytea|inet|cidr|money|xml|timestamp(?: with(?:out)? time zone)?|time(?: with(?:out)? time zone)?|(?:character varying|character|bit varying|bit|numeric)\(\d+(?:,\d+)?\))(?:\[\])?)(?=$|[\s:,.])/
