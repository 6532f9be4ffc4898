import type { Command, Option } from 'commander'

/** What may stand behind a flag: nothing, a path, one of some words, or a text that nobody can guess. */
type FlagValue = 'nothing' | 'path' | 'text' | readonly string[]

export interface CompletedFlag {
  /** As they are typed: `--output`, `-o`. */
  readonly names: readonly string[]
  readonly description: string
  readonly value: FlagValue
}

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** As it is typed: `registry import`. Empty for the program without a command. */
  readonly words: string
  readonly description: string
  readonly flags: readonly CompletedFlag[]
  readonly subcommands: readonly Pick<CompletedCommand, 'words' | 'description'>[]
}

const pathWord = /[<[](?:path|file|folder)[>\]]/

/**
 * Every command of a program, the program itself first. Typed without a command, its flags are those of the default
 * one: so they are listed with the program too.
 */
export function completedCommands(program: Command, defaultCommand: string): CompletedCommand[] {
  const commands = allBelow(program, '')
  const flags = commands.find(({ words }) => words === defaultCommand)?.flags ?? []
  return commands.map((command) => (command.words === '' ? { ...command, flags } : command))
}

function allBelow(command: Command, words: string): CompletedCommand[] {
  const help = command.createHelp()
  const subcommands = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  const wordsOf = (one: Command) => (words === '' ? one.name() : `${words} ${one.name()}`)
  const own = {
    words,
    description: oneLine(command.description()),
    flags: help.visibleOptions(command).map(flagOf),
    subcommands: subcommands.map((one) => ({ words: wordsOf(one), description: oneLine(one.description()) })),
  }
  return [own, ...subcommands.flatMap((one) => allBelow(one, wordsOf(one)))]
}

function flagOf(option: Option): CompletedFlag {
  return {
    names: [option.long, option.short].filter((name) => typeof name === 'string'),
    description: oneLine(option.description),
    value: valueOf(option),
  }
}

function valueOf({ argChoices, flags, required, optional }: Option): FlagValue {
  if (!required && !optional) return 'nothing'
  return argChoices ?? (pathWord.test(flags) ? 'path' : 'text')
}

/** Shells have a line for it, and quotes of their own around it. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replaceAll("'", '’')

/** Flags whose value is of one kind, by all their names. */
export function namesOf(flags: readonly CompletedFlag[], value: 'path' | 'text'): string[] {
  return flags.filter((flag) => flag.value === value).flatMap(({ names }) => names)
}

/** A pattern of a shell's `case`: the command so far, and the word that continues it. */
export function continuations(commands: readonly CompletedCommand[]): string {
  return commands
    .filter(({ words }) => words !== '')
    .map(({ words }) => {
      const parts = words.split(' ')
      return `'${parts.slice(0, -1).join(' ')} ${parts.at(-1) ?? ''}'`
    })
    .join('|')
}
