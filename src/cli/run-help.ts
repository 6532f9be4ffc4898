import { CommanderError, Help, Option, type Command } from 'commander'
import { exitCodes, otherExitCodes, suggestNearest } from '../core/errors.js'
import { formatTermList, getHelpWidth, type CliIo } from './terminal/command-io.js'
import optionWords from './option-words.json' with { type: 'json' }

/** Flags of `run` and `retry` by group, in the order of their help. `further` is only in `--help-all`. */
const helpGroups: readonly { title: string; common: readonly string[]; further: readonly string[] }[] = [
  {
    title: 'Input',
    common: ['config', 'status', 'limit'],
    further: ['encoding', 'input-format', 'delimiter', 'sheet', 'query', 'row-key', 'no-dedupe', 'no-header'],
  },
  {
    title: 'Columns',
    common: ['name-column', 'location-columns', 'country', 'id-columns'],
    further: ['context-columns'],
  },
  {
    title: 'Service',
    common: ['base-url', 'registry', 'first', 'with'],
    further: [
      'max-age',
      'accept',
      'check-sample',
      'prefer',
      'decisions',
      'resubmit-uncertain',
      'accept-doubtful-input',
      'webhook-url',
      'webhook-listen',
    ],
  },
  { title: 'Budget', common: ['max-lookups', 'max-cost'], further: ['max-duration'] },
  {
    title: 'Output',
    common: ['output', 'columns', 'changes'],
    further: ['format', 'mode', 'drop-columns', 'basis', 'prefix', 'bom', 'memory', 'partial'],
  },
  {
    title: 'Monitoring',
    common: ['report', 'fail-on', 'json'],
    further: ['report-by', 'watch', 'notify', 'metrics-file', 'quiet', 'log-level'],
  },
  { title: 'Several machines', common: ['checkpoint', 'partition'], further: ['job', 'accept-rollback'] },
  { title: 'Help', common: ['help-all', 'help'], further: [] },
]

/** Makes `--help` of a command show the common flags in groups, and `--help-all` everything. */
export function addGroupedHelp(command: Command, io: CliIo): void {
  command.configureHelp({ ...command.configureHelp(), formatHelp: () => formatCommonHelp(command) })
  command.on('option:help-all', () => {
    io.out(formatFullHelp(command))
    throw new CommanderError(0, 'commander.help', '')
  })
}

function formatCommonHelp(command: Command): string {
  const lists = helpGroups.map(({ title, common }) => [title, common] as const)
  return formatHelp(command, lists, describeOption)
}

function formatFullHelp(command: Command): string {
  const lists = helpGroups.map(({ title, common, further }) => [title, [...common, ...further]] as const)
  const flags = formatHelp(command, lists, (option) => new Help().optionDescription(option))
  const variables = Object.entries(environmentVariables).map(([name, { help }]) => [name, help] as const)
  const exits = Object.entries(exitCodes).flatMap(([code, entry]) =>
    'meaning' in entry ? [[code, entry.meaning] as const] : [],
  )
  return `${flags}\n${formatTermList('Environment:', variables)}\n\n${formatTermList('Exit codes:', [...exits, ['other', otherExitCodes]])}\n`
}

function formatHelp(
  command: Command,
  groups: readonly (readonly [title: string, names: readonly string[]])[],
  describe: (option: Option) => string,
): string {
  const help = command.createHelp()
  help.helpWidth = getHelpWidth()
  const options = help.visibleOptions(command)
  const termWidth = help.longestOptionTermLength(command, help)
  const texts = groups.flatMap(([title, names]) => {
    const lines = options
      .filter((option) => names.includes(option.name()))
      .sort((a, b) => names.indexOf(a.name()) - names.indexOf(b.name()))
      .map((option) => `${help.formatItem(help.optionTerm(option), termWidth, describe(option), help)}\n`)
    return lines.length === 0 ? [] : [`${title}:\n${lines.join('')}`]
  })
  return `Usage: ${help.commandUsage(command)}\n\n${command.description()}\n\n${texts.join('\n')}`
}

export const furtherHelp: readonly (readonly [command: string, meaning: string])[] = [
  ['enrich run --help', 'the most useful flags of a run'],
  ['enrich run --help-all', 'all flags of a run, environment variables, exit codes'],
  ['enrich COMMAND --help', 'the flags of a command'],
  ['enrich --version', 'the version'],
  ['docs/README.md', 'the documentation, in the folder of the package'],
]

/** Longer lists of choices, like that of encodings, are only in `--help-all` and in error messages. */
const choicesShownMax = 8

/** Describes an option in `--help`. */
export function describeOption(option: Option): string {
  const isLong = (option.argChoices?.length ?? 0) > choicesShownMax
  return new Help().optionDescription(isLong ? new Option(option.flags, option.description) : option)
}

/** Environment variables: a line for `--help`, and further text for the manual. */
export const environmentVariables = {
  ENRICH_API_KEY: {
    help: 'API key of a hosted service',
    manual:
      'There is no flag and no config key: process lists show arguments, and config files are committed.',
  },
  ENRICH_API_KEY_FILE: {
    help: 'file that contains only the API key',
    manual: 'Used if `ENRICH_API_KEY` is not set.',
  },
  ENRICH_BASE_URL: { help: 'URL of a hosted service, like --base-url', manual: '' },
  ENRICH_WEBHOOK_SECRET: {
    help: 'signing secret of webhooks (whsec_…)',
    manual:
      'You find it in the settings of the service. While you replace a secret, set both, separated by a space. There is no flag and no config key.',
  },
  ENRICH_NOTIFY_URL: {
    help: 'URL that receives a summary when a run ends, like --notify',
    manual: 'It may contain a token, and is never printed.',
  },
  ENRICH_HTTPS_AUTHORIZATION: {
    help: 'header Authorization for an input from https',
    manual:
      'The whole value, sent to the host of the address only. See [Credentials](docs/manual/databases-and-stores.md#credentials).',
  },
  ENRICH_CONTACT: {
    help: 'your name and e-mail address, for publishers of registers',
    manual: 'Like `--contact` of `enrich registry get`. The SEC refuses requests without it.',
  },
  ENRICH_REGISTER_MIRROR: {
    help: 'server with copies of the files of registers',
    manual:
      '`enrich registry get` then asks this server for each file, under the host and path of the original: `https://mirror.example.com/data.brreg.no/…`.',
  },
  ENRICH_PARTITION: { help: 'partition of the job that a process runs, like --partition', manual: '' },
  ENRICH_SERVE_API_KEY: { help: 'API key that clients of "enrich serve" send', manual: '' },
} as const

/** Returns the command that is typed, or the group of commands; the program without one. */
export function findTyped(program: Command, argv: readonly string[]): Command {
  let group = program
  for (const word of argv) {
    const found = group.commands.find((command) => command.name() === word)
    if (found === undefined) break
    group = found
  }
  return group
}

/** For each option, words for the same idea, which other commands and programs have. */
const alike: readonly (readonly string[])[] = optionWords.alike.map((line) => line.split(' '))

const namedMax = 2

/** Names the option of the typed command that means what an unknown option says; `null` without one. */
export function suggestOption(
  message: string,
  program: Command | undefined,
  argv: readonly string[],
): string | null {
  const unknown = /^unknown option '(--[a-z-]+|-[a-z](?=$|['=]))/.exec(message)?.[1]
  if (unknown === undefined || program === undefined) return null
  const typed = findTyped(program, argv)
  const command = typed === program ? typed.commands.find((one) => one.name() === 'run') : typed
  const options = command?.options.filter(({ hidden }) => !hidden) ?? []
  const found = alike
    .filter(([, ...others]) => others.includes(unknown))
    .flatMap(([long]) => options.find((option) => option.long === long) ?? [])
  if (command === undefined || found.length === 0) return null
  const listed = [...new Set(found)]
    .slice(0, namedMax)
    .map(({ flags, description }) => `${flags}: ${description.replace(/(?:;| \(default).*$/s, '')}`)
  return `enrich ${nameCommand(command)} has ${listed.join('; and ')}`
}

/** Names the valid value that is nearest to a mistyped one; `''` if none is near. */
export function suggestChoice(message: string): string {
  const [, typed = '', listed = ''] =
    /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(message) ?? []
  return suggestNearest(typed, listed.split(', '))
}

/** `registry search`, without the name of the program. */
function nameCommand(command: Command): string {
  const { parent } = command
  const isTop = parent === null || parent.parent === null
  return isTop ? command.name() : `${parent.name()} ${command.name()}`
}
