import { existsSync } from 'node:fs'
import { InvalidArgumentError, Option, type Command } from 'commander'
import {
  readEnvironmentConfig,
  mergeConfigs,
  mergeOverFile,
  buildNested,
  parseConfig,
  type Environment,
  type FileConfig,
} from '../config/file-config.js'
import { listOptions, type CallFlag, type FlagGroup, type Parsed } from '../config/option.js'
import { callFlags, defaultPaths, options } from '../config/options.js'

/** Parsed values of the flags of `options`, by commander's attribute names. */
export interface ConfigFlags {
  readonly config?: string
  readonly [attribute: string]: unknown
}

interface FlagEntry extends CallFlag {
  readonly parse?: ((text: string) => Parsed<unknown>) | undefined
  readonly preset?: string
}

/** All flags: those of config keys, and those without a key. */
const allFlags: readonly FlagEntry[] = [
  ...callFlags,
  ...listOptions(options).flatMap(({ option }) => {
    const { flag, unset, variable, defaults } = option
    if (flag === undefined) return []
    if (!hasArgument(flag.names)) return [flag]
    const standing = unset ?? (defaults === undefined ? undefined : String(defaults.hosted))
    const note = variable === undefined || standing === undefined ? standing : `${standing}; env: ${variable}`
    const choices = flag.parse === undefined ? option.choices : undefined
    return [
      {
        ...flag,
        ...(note === undefined ? {} : { unset: note }),
        ...(choices === undefined ? {} : { choices }),
      },
    ]
  }),
]

/** The flag of `retry` that `run` does not have. */
export const statusFlag = '--status <a,b>'

/** Adds groups of flags to a command, or only those with the given names, like `no-header`. */
export function addConfigFlags(
  command: Command,
  groups: readonly FlagGroup[],
  names?: readonly string[],
): Command {
  for (const group of groups) {
    const options = allFlags.filter((flag) => flag.group === group).map(toOption)
    for (const option of options) if (names?.includes(option.name()) ?? true) command.addOption(option)
  }
  return command
}

/** Flags that say how a list is read, of a command that takes no other flags of the input. */
const readingFlags = ['name-column', 'input-format', 'delimiter', 'no-header', 'query', 'encoding', 'sheet']

/** Adds the flags that say how a list is read, and the named ones of its columns. */
export const addReadingFlags = (command: Command, columnFlags: readonly string[] = []): Command =>
  addConfigFlags(command, ['input'], [...readingFlags, ...columnFlags])

/** Flags of columns that `enrich registry sources` takes. */
export const sourcesColumnFlags = ['location-columns']

/** Selects the flags with their values that `enrich registry sources` takes too. */
export const selectSourcesFlags = (words: readonly string[]): string[] =>
  selectArguments(words, ['input'], false, [...readingFlags, ...sourcesColumnFlags])

function toOption({ names, help, unset, choices, parse, preset, default: standing }: FlagEntry): Option {
  const option = new Option(names, unset === undefined ? help : `${help} (default: ${unset})`)
  if (choices !== undefined) option.choices(choices)
  if (standing !== undefined) option.default(standing)
  if (preset !== undefined) option.preset(preset)
  return parse === undefined ? option : option.argParser((text) => getParsedValue(parse(text)))
}

/** Throws commander's error for a fault. */
export function getParsedValue<Value>(parsed: Parsed<Value>): Value {
  if ('fault' in parsed) throw new InvalidArgumentError(parsed.fault)
  return parsed.value
}

function hasArgument(names: string): boolean {
  return /[<[]/.test(names)
}

interface FoundFlag {
  readonly name: string
  readonly group: FlagGroup
  readonly takesNext: 'always' | 'maybe' | 'never'
}

/** The flag that an argument names, and whether the next argument is its value; `null` if it is unknown. */
function findFlag(argument: string): FoundFlag | null {
  const [name = '', value] = argument.replace(/^'/, '').split('=', 2)
  const flags = [...allFlags, { names: statusFlag, group: 'run' as const }]
  const found = flags.find(({ names }) => names.split(/[ ,]+/).includes(name))
  if (found === undefined) return null
  const takesNext = found.names.includes('<') ? 'always' : found.names.includes('[') ? 'maybe' : 'never'
  const option = new Option(found.names)
  return { name: option.name(), group: found.group, takesNext: value === undefined ? takesNext : 'never' }
}

/**
 * Selects words of a command line: the inputs, if wanted, and the flags of these groups, or only the named ones, with
 * their values. Words may have the quotes of a shell.
 */
export function selectArguments(
  words: readonly string[],
  groups: readonly FlagGroup[],
  keepsInputs = true,
  names?: readonly string[],
): string[] {
  const kept: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const isFlag = /^'?-./.test(word)
    const flag = isFlag ? findFlag(word) : null
    const next = words[at + 1]
    const isMaybeValue = next !== undefined && !next.startsWith('-')
    const hasNext = flag?.takesNext === 'always' || (flag?.takesNext === 'maybe' && isMaybeValue)
    const isNamed = flag !== null && (names?.includes(flag.name) ?? true)
    const isKept = flag === null ? keepsInputs && !isFlag : isNamed && groups.includes(flag.group)
    if (isKept) kept.push(word, ...(hasNext && next !== undefined ? [next] : []))
    if (hasNext) at++
  }
  return kept
}

/** Returns the path of the config file in use, or `null`. */
export function findConfigPath(flags: ConfigFlags): string | null {
  return flags.config ?? (existsSync(defaultPaths.config) ? defaultPaths.config : null)
}

/** Merges flags over the environment over the config file. Throws CONFIG_*. */
export function readConfig(
  inputs: readonly string[],
  flags: ConfigFlags,
  environment: Environment,
): FileConfig {
  const path = findConfigPath(flags)
  const asked = readConfigFromFlags(inputs, flags, environment)
  return path === null ? asked : mergeOverFile(path, asked)
}

/** Merges flags over the environment, without the config file. Throws CONFIG_INVALID. */
export function readConfigFromFlags(
  inputs: readonly string[],
  flags: ConfigFlags,
  environment: Environment,
): FileConfig {
  const asked = parseConfig(toConfigObject(inputs, flags), 'the command line')
  return mergeConfigs(readEnvironmentConfig(environment), asked)
}

function toConfigObject(inputs: readonly string[], flags: ConfigFlags): object {
  const given = listOptions(options).map(({ path, option: { flag } }) => {
    if (flag === undefined) return { path, value: undefined }
    const option = new Option(flag.names)
    const value = flags[option.attributeName()]
    if (hasArgument(flag.names)) return { path, value }
    // commander returns true for a `--no-…` flag that was not passed; the config file decides then.
    return { path, value: value === !option.negate ? flag.sets : undefined }
  })
  const paths = inputs.length === 0 ? undefined : [...inputs]
  return buildNested([{ path: ['input', 'paths'], value: paths }, ...given])
}
