import { cpSync, mkdirSync } from 'node:fs'
import type { Command } from 'commander'
import { stringify } from 'csv-stringify/sync'
import type { onTestFinished } from 'vitest'
import type { CliIo } from '../../src/cli/terminal/command-io.js'
import { createProgram } from '../../src/cli/program.js'
import { canary, createPlace, type CliOptions, type CliPlace } from './cli.js'

/** How a command is called on the state that `everyState` makes, and what it tells a program. */
export interface CommandCase {
  readonly args: readonly string[]
  /** The types of its JSON lines, each once, in order; `progress` comes or not. */
  readonly types: readonly string[]
  /** What it ends with; 0 if left out. */
  readonly code?: number
  /** It goes on until it is told to end. */
  readonly stands?: true
  readonly env?: Readonly<Record<string, string>>
}

/** A row of the file of the National Tax Agency, which has no header. */
const japanRow = `1,1180301018771,01,0,2018-04-02,2015-10-05,"トヨタ自動車株式会社",,301,"愛知県","豊田市","トヨタ町1番地",,23,211,4718571,,,,,,,2015-10-05,1,"TOYOTA MOTOR CORPORATION",,,,,0\n`

const enriched = ['companies.csv', '-o', 'out.csv']
const run = ['notice', 'columns', 'planned', 'publishing', 'finished']
const account = (...words: string[]) => ['accounts', ...words, '--data', 'service']

/** Every command there is: a new one is added here, or the test that walks them fails. */
export const commandCases: Readonly<Record<string, CommandCase>> = {
  run: { args: [...enriched, '--max-age', '0s'], types: run },
  retry: { args: ['retry', ...enriched, '--status', 'no_match'], types: run },
  plan: { args: ['plan', 'companies.csv'], types: ['plan'] },
  show: { args: ['show', 'out.csv'], types: ['row', 'rows'] },
  status: { args: ['status', '--uncertain'], types: ['status'] },
  runs: { args: ['runs'], types: ['run', 'totals'] },
  diff: { args: ['diff'], types: ['change', 'diff'] },
  report: { args: ['report', '-o', 'report.html'], types: ['report'] },
  // The checkpoint of the state is a file, which knows no parts.
  collect: { args: ['collect', '--job', 'nightly'], types: ['error'], code: 2 },
  export: { args: ['export', ...enriched], types: ['exported'] },
  review: { args: ['review', 'companies.csv', '--no-open'], types: ['reviewing', 'reviewed'], stands: true },
  doctor: { args: ['doctor'], types: ['check'] },
  init: { args: ['init', 'companies.csv', '--yes', '--config', 'made.config.json'], types: ['init'] },
  completion: { args: ['completion', 'bash'], types: ['completion'] },
  'checkpoint verify': { args: ['checkpoint', 'verify'], types: ['verification'] },
  'checkpoint repair': { args: ['checkpoint', 'repair'], types: ['repair'] },
  'checkpoint compact': { args: ['checkpoint', 'compact'], types: ['compaction'] },
  'checkpoint migrate': {
    args: ['checkpoint', 'migrate', '.enrich/checkpoint.sqlite', 'moved.sqlite'],
    types: ['migration'],
  },
  // The state is a copy, and an empty list does not say what else went on.
  reconcile: { args: ['reconcile', 'ledger.csv'], types: ['reconciliation'], code: 3 },
  api: { args: ['api', 'GET', '/v2/search', '--query', 'name=Apple'], types: ['answer'] },
  serve: {
    args: ['serve', '--listen', '127.0.0.1:0', '--data', 'served', '--matchers', '0'],
    types: ['serving', 'stopped'],
    stands: true,
    env: { ENRICH_SERVE_API_KEY: canary },
  },
  receive: {
    args: ['receive', '--webhook-listen', '127.0.0.1:0'],
    types: ['receiving', 'received'],
    stands: true,
    env: { ENRICH_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
  },
  'registry import': {
    args: 'registry import csv register.csv --id-type registration_id --registry r.sqlite'.split(' '),
    types: ['import'],
  },
  'registry load': {
    args: ['registry', 'load', 'registers', '--registry', 'loaded.sqlite'],
    types: ['plan', 'loaded', 'summary'],
  },
  'registry sources': { args: ['registry', 'sources'], types: ['source'] },
  'registry get': {
    args: ['registry', 'get', 'japan', '--from', 'japan.csv', '--registry', 'japan.sqlite'],
    types: ['register'],
  },
  'registry refresh': {
    args: ['registry', 'refresh', '--registry', 'none.sqlite'],
    types: ['error'],
    code: 2,
  },
  'registry info': { args: ['registry', 'info'], types: ['registry'] },
  'registry search': { args: ['registry', 'search', 'apple'], types: ['hit'] },
  'registry evaluate': {
    args: ['registry', 'evaluate', 'queries.csv', '--registry', 'mine.sqlite'],
    types: ['evaluation'],
  },
  'accounts list': { args: account('list'), types: ['account'] },
  'accounts show': { args: account('show', 'acme'), types: ['account'] },
  'accounts ledger': { args: account('ledger', 'acme'), types: ['booked'] },
  'accounts add': { args: account('add', 'other'), types: ['key_added'] },
  'accounts set': { args: account('set', 'acme', '--no-v3'), types: ['account'] },
  'accounts credit': { args: account('credit', 'acme', 'add', '5'), types: ['account'] },
  'accounts keys list': { args: account('keys', 'list', 'acme'), types: ['key'] },
  'accounts keys add': { args: account('keys', 'add', 'acme'), types: ['key_added'] },
  'accounts keys revoke': { args: account('keys', 'revoke', 'acme', '{key}'), types: ['key_revoked'] },
  'accounts secrets list': { args: account('secrets', 'list', 'acme'), types: ['secret'] },
  'accounts secrets show': { args: account('secrets', 'show', 'acme'), types: ['secret'] },
  'accounts secrets add': { args: account('secrets', 'add', 'acme'), types: ['secret_added'] },
  'accounts secrets rotate': { args: account('secrets', 'rotate', 'acme'), types: ['secret_added'] },
  'accounts secrets delete': {
    args: account('secrets', 'delete', 'acme', '{secret}'),
    types: ['secret_deleted'],
  },
}

/** The commands that do something, by the words that call them. */
export async function commandsOfProgram(): Promise<Map<string, Command>> {
  // Nothing is run: no stream is touched.
  const program = await createProgram({} as CliIo)
  const found = new Map<string, Command>()
  const walk = (command: Command, path: readonly string[]): void => {
    if (command.commands.length === 0) found.set(path.join(' '), command)
    for (const child of command.commands) walk(child, [...path, child.name()])
  }
  walk(program, [])
  return found
}

/** A folder in which every command has something to do; it is copied, since commands change it. */
export async function everyState(whenFinished: (remove: () => void) => void): Promise<CliPlace> {
  const place = createPlace(whenFinished as typeof onTestFinished)
  place.write(
    'companies.csv',
    stringify([
      ['company_name', 'city'],
      ['Apple', 'Cupertino'],
      ['Nobody at All', 'Nowhere'],
    ]),
  )
  place.write('japan.csv', japanRow)
  place.write('register.csv', 'id,name,city\n1,Acme Widgets GmbH,Bonn\n')
  mkdirSync(place.path('registers'))
  place.write(
    'registers/tickers.json',
    '{"fields":["cik","name","ticker","exchange"],"data":[[7,"Acme Corp","ACME","NYSE"]]}',
  )
  place.write('ledger.csv', 'custom_id,run_id\n')
  place.write('queries.csv', 'query_name,expected_any,id_type\nAcme Widgets,1,registration_id\n')
  const prepare: (readonly string[])[] = [
    // The second night has a row less.
    enriched,
    [...enriched, '--limit', '1'],
    'registry import csv register.csv --id-type registration_id --registry mine.sqlite'.split(' '),
    account('add', 'acme', '--credit', '10'),
  ]
  for (const args of prepare) {
    const { code, stderr } = await place.run(args)
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  }
  return place
}

export function copyOf(state: CliPlace): CliPlace {
  const place = createPlace()
  cpSync(state.folder, place.folder, { recursive: true })
  return place
}

/** The arguments with ids in the place of their names. */
export async function argsOf({ args }: CommandCase, place: CliPlace): Promise<readonly string[]> {
  const idOf = async (list: 'keys' | 'secrets', what: 'keyId' | 'secretId'): Promise<string> => {
    if (list === 'secrets') await place.run(account('secrets', 'add', 'acme'))
    const { stdout } = await place.run([...account(list, 'list', 'acme'), '--json'])
    return (JSON.parse(stdout.split('\n')[0] ?? '') as Record<string, string>)[what] ?? ''
  }
  const filled: string[] = []
  for (const arg of args) {
    if (arg === '{key}') filled.push(await idOf('keys', 'keyId'))
    else if (arg === '{secret}') filled.push(await idOf('secrets', 'secretId'))
    else filled.push(arg)
  }
  return filled
}

export const optionsOf = ({ env }: CommandCase): CliOptions => (env === undefined ? {} : { env })
