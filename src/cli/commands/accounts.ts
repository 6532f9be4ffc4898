import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { createNumberParser, parsePositive } from '../../config/option.js'
import { defaultPaths } from '../../config/options.js'
import { getParsedValue } from '../config-flags.js'
import { UserError } from '../../core/errors.js'
import { formatCount } from '../../core/text.js'
import { systemClock } from '../../platform/clock.js'
import type {
  AccountSummary,
  AccountTerms,
  AnyAccountBook,
  BookedUnits,
  KeyInfo,
  SecretInfo,
} from '../../service/accounts.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'

interface DataFlags {
  data: string
  json?: boolean
  label?: string
}

/** commander would turn `null` into an empty text. */
type UnitLimit = number | 'unlimited'

interface TermFlags extends DataFlags {
  v3?: boolean
  credit?: UnitLimit
  monthlyUnits?: UnitLimit
}

/** Runs a command on the accounts of a service, which may be running. */
type OnBook = (
  flags: DataFlags,
  use: (book: AnyAccountBook, nowMs: number) => void | Promise<void>,
  whereNone?: 'make' | 'refuse',
) => Promise<void>

/** Adds the commands of `enrich accounts`, which manage the callers of `enrich serve`. */
export function fillAccountsCommand(accounts: Command, io: CliIo): void {
  addReadCommands(accounts, io)
  addWriteCommands(accounts, io)
  addKeys(accounts.command('keys').description('API keys of an account'), io)
  addSecrets(accounts.command('secrets').description('webhook signing secrets of an account (whsec_…)'), io)
}

const onBook: OnBook = async (flags, use, whereNone = 'refuse') => {
  const nowMs = systemClock.nowMs()
  const { withAccountBook } = await import('../../service/accounts.js')
  await withAccountBook({ data: flags.data, nowMs, whereNone }, (book) => use(book, nowMs))
}

/** Adds a command with its arguments and the shared flags. */
function addAccountCommand(parent: Command, name: string, description: string, ...args: string[]): Command {
  const command = parent.command(name).description(description)
  for (const arg of args) command.argument(arg)
  return command
    .option('--data <where>', 'data of the service: a folder, or postgres://…', defaultPaths.serviceData)
    .option('--json', 'print JSON lines')
}

function print(io: CliIo, { json }: DataFlags, type: string, rows: readonly object[], text: string): void {
  io.out(json === true ? rows.map((row) => formatJsonLine(type, row)).join('') : text)
}

function addReadCommands(accounts: Command, io: CliIo): void {
  addAccountCommand(accounts, 'list', 'list all accounts').action((flags: DataFlags) =>
    onBook(flags, async (book, nowMs) => {
      const all = await book.list(nowMs)
      print(io, flags, 'account', all, formatAccounts(all))
    }),
  )
  addAccountCommand(accounts, 'show', 'show the permissions and the usage of an account', '<name>').action(
    (name: string, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        const account = await book.summary(name, nowMs)
        print(io, flags, 'account', [account], formatAccount(account))
      }),
  )
  addAccountCommand(accounts, 'ledger', 'list all units charged, refunded and granted', '<name>').action(
    (name: string, flags: DataFlags) =>
      onBook(flags, async (book) => {
        for await (const entry of book.ledger(name))
          print(io, flags, 'booked', [entry], formatLedgerEntry(entry))
      }),
  )
}

function addWriteCommands(accounts: Command, io: CliIo): void {
  addTerms(addAccountCommand(accounts, 'add', 'create an account and print its first API key once', '<name>'))
    .option('--no-v3', 'disable v3')
    .action((name: string, flags: TermFlags) =>
      onBook(
        flags,
        async (book, nowMs) => {
          const { apiKey, keyId } = await book.add(
            name,
            {
              v3Enabled: flags.v3 !== false,
              creditUnits: toUnitsMax(flags.credit ?? 'unlimited'),
              monthlyUnitsMax: toUnitsMax(flags.monthlyUnits ?? 'unlimited'),
            },
            nowMs,
          )
          printKey(io, flags, { account: name, keyId, apiKey })
        },
        'make',
      ),
    )
  addTerms(addAccountCommand(accounts, 'set', 'change the permissions and limits of an account', '<name>'))
    .option('--v3', 'enable v3')
    .option('--no-v3', 'disable v3')
    .action((name: string, flags: TermFlags) =>
      onBook(flags, async (book, nowMs) => {
        await book.change(name, readTerms(flags), nowMs)
        const account = await book.summary(name, nowMs)
        print(io, flags, 'account', [account], formatAccount(account))
      }),
    )
  addAccountCommand(accounts, 'credit', 'add to the credit of an account', '<name>')
    .addArgument(new Argument('<change>', 'the change').choices(['add']))
    .addArgument(new Argument('<units>', 'number of units').argParser(parseUnits))
    .action((name: string, _change: 'add', units: number, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        await book.grant(name, units, nowMs)
        const account = await book.summary(name, nowMs)
        print(io, flags, 'account', [account], formatAccount(account))
      }),
    )
}

function addTerms(command: Command): Command {
  return command
    .addOption(
      new Option('--credit <n>', 'units that can still be billed, or unlimited').argParser(parseUnitLimit),
    )
    .addOption(
      new Option('--monthly-units <n>', 'units per calendar month (UTC), or unlimited').argParser(
        parseUnitLimit,
      ),
    )
}

function readTerms({ v3, credit, monthlyUnits }: TermFlags): Partial<AccountTerms> {
  const terms = {
    ...(v3 === undefined ? {} : { v3Enabled: v3 }),
    ...(credit === undefined ? {} : { creditUnits: toUnitsMax(credit) }),
    ...(monthlyUnits === undefined ? {} : { monthlyUnitsMax: toUnitsMax(monthlyUnits) }),
  }
  if (Object.keys(terms).length > 0) return terms
  throw new UserError('USAGE_INVALID', 'there is nothing to change', {
    hint: 'pass --v3, --no-v3, --credit or --monthly-units',
  })
}

function addKeys(keys: Command, io: CliIo): void {
  addAccountCommand(keys, 'list', 'list the keys of an account', '<name>').action(
    (name: string, flags: DataFlags) =>
      onBook(flags, async (book) => {
        const all = await book.keys.list(await book.getAccountNumber(name))
        print(io, flags, 'key', all, formatKeys(all))
      }),
  )
  addAccountCommand(keys, 'add', 'create a key and print it once', '<name>')
    .addOption(label())
    .action((name: string, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        const { apiKey, keyId } = await book.keys.add(
          await book.getAccountNumber(name),
          flags.label ?? null,
          nowMs,
        )
        printKey(io, flags, { account: name, keyId, apiKey })
      }),
    )
  addAccountCommand(keys, 'revoke', 'revoke a key', '<name>', '<key-id>').action(
    (name: string, keyId: string, flags: DataFlags) =>
      onBook(flags, async (book) => {
        const { isGivenAtStart } = await book.keys.revoke(await book.getAccountNumber(name), keyId)
        print(io, flags, 'key_revoked', [{ account: name, keyId, isGivenAtStart }], '')
        io.err(`${keyId} of ${name} is revoked.\n`)
        if (isGivenAtStart)
          io.err('It is the ENRICH_SERVE_API_KEY of the service: change that before its next start.\n')
      }),
  )
}

function addSecrets(secrets: Command, io: CliIo): void {
  addAccountCommand(secrets, 'list', 'list the secrets of an account', '<name>').action(
    (name: string, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        const all = await book.secrets.list(await book.getAccountNumber(name), nowMs)
        print(io, flags, 'secret', all, formatSecrets(all))
      }),
  )
  addAccountCommand(secrets, 'show', 'print a secret; default: the newest', '<name>', '[secret-id]').action(
    (name: string, secretId: string | undefined, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        const accountNumber = await book.getAccountNumber(name)
        const shownId = secretId ?? (await book.secrets.list(accountNumber, nowMs))[0]?.secretId ?? ''
        const secret = await book.secrets.show(accountNumber, shownId, nowMs)
        print(io, flags, 'secret', [{ account: name, secretId: shownId, secret }], `${secret}\n`)
      }),
  )
  const tellNew = (flags: DataFlags, name: string, secretId: string) => {
    print(io, flags, 'secret_added', [{ account: name, secretId }], `${secretId}\n`)
    io.err(`To see it: enrich accounts secrets show ${name} ${secretId}\n`)
  }
  addAccountCommand(secrets, 'add', 'create a further secret and print its id', '<name>')
    .addOption(label())
    .action((name: string, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        const added = await book.secrets.add(await book.getAccountNumber(name), flags.label ?? null, nowMs)
        tellNew(flags, name, added.secretId)
      }),
    )
  addAccountCommand(
    secrets,
    'rotate',
    'replace a secret, which remains valid for 24 hours',
    '<name>',
    '[secret-id]',
  )
    .addOption(label())
    .action((name: string, secretId: string | undefined, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        const accountNumber = await book.getAccountNumber(name)
        const label = flags.label ?? null
        const added = await book.secrets.rotate(accountNumber, secretId ?? null, label, nowMs)
        tellNew(flags, name, added.secretId)
      }),
    )
  addAccountCommand(secrets, 'delete', 'delete a secret', '<name>', '<secret-id>').action(
    (name: string, secretId: string, flags: DataFlags) =>
      onBook(flags, async (book, nowMs) => {
        await book.secrets.remove(await book.getAccountNumber(name), secretId, nowMs)
        print(io, flags, 'secret_deleted', [{ account: name, secretId }], '')
        io.err(`${secretId} of ${name} is deleted.\n`)
      }),
  )
}

/** Prints only the key to standard output, so that a script can read it. */
function printKey(
  io: CliIo,
  flags: DataFlags,
  key: { account: string; keyId: string; apiKey: string },
): void {
  print(io, flags, 'key_added', [key], `${key.apiKey}\n`)
  io.err(`This is key ${key.keyId} of ${key.account}. Only its hash is stored: it cannot be shown again.\n`)
}

const labelCharsMax = 100

function label(): Option {
  return new Option('--label <text>', 'label of the key or secret').argParser((text) => {
    if (text.length > 0 && text.length <= labelCharsMax) return text
    throw new InvalidArgumentError(`It must be 1 to ${labelCharsMax} characters.`)
  })
}

const toUnitsMax = (limit: UnitLimit): number | null => (limit === 'unlimited' ? null : limit)

function parseUnitLimit(text: string): UnitLimit {
  if (text === 'unlimited') return text
  return getParsedValue(createNumberParser(0, undefined, ', or unlimited')(text))
}

const parseUnits = (text: string): number => getParsedValue(parsePositive(text))

function formatAccounts(accounts: readonly AccountSummary[]): string {
  if (accounts.length === 0) return 'No accounts yet: enrich accounts add NAME\n'
  const head = ['account', 'v3', 'credit left', 'this month', 'keys']
  const rows = accounts.map((account) => [
    account.name,
    account.v3Enabled ? 'yes' : 'no',
    units(account.creditUnits),
    formatMonthUsage(account),
    String(account.keyCount),
  ])
  return formatTable([head, ...rows])
}

function formatAccount(account: AccountSummary): string {
  return formatTable([
    ['account', account.name],
    ['v3', account.v3Enabled ? 'enabled' : 'not enabled'],
    ['credit left', units(account.creditUnits)],
    ['this month', formatMonthUsage(account)],
    ['charged', units(account.chargedUnits)],
    ['refunded', units(account.refundedUnits)],
    ['granted', units(account.grantedUnits)],
    ['keys', String(account.keyCount)],
    ['secrets', String(account.secretCount)],
    ['created', formatTime(account.createdAtMs)],
  ])
}

function formatLedgerEntry({ at, kind, units, runId, customId }: BookedUnits): string {
  const run = runId === null ? [] : [runId]
  const custom = customId === null ? [] : [customId]
  return `${[at, kind.padEnd(6), String(units), ...run, ...custom].join('  ')}\n`
}

function formatKeys(keys: readonly KeyInfo[]): string {
  if (keys.length === 0) return 'No keys: this account cannot call the service.\n'
  return formatTable(
    keys.map(({ keyId, createdAtMs, label, isGivenAtStart }) => [
      keyId,
      formatTime(createdAtMs),
      label ?? (isGivenAtStart ? 'ENRICH_SERVE_API_KEY' : ''),
    ]),
  )
}

function formatSecrets(secrets: readonly SecretInfo[]): string {
  return formatTable(
    secrets.map(({ secretId, createdAtMs, expiresAtMs, label }) => [
      secretId,
      formatTime(createdAtMs),
      expiresAtMs === null ? 'valid' : `valid until ${formatTime(expiresAtMs)}`,
      label ?? '',
    ]),
  )
}

const formatMonthUsage = ({ monthUnits, monthlyUnitsMax }: AccountSummary): string =>
  `${units(monthUnits)} of ${units(monthlyUnitsMax)}`

const units = (count: number | null): string => (count === null ? 'unlimited' : formatCount(count))

/** 0 is the creation time of accounts of earlier versions. */
const formatTime = (atMs: number): string =>
  atMs === 0 ? 'long ago' : new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z')

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
