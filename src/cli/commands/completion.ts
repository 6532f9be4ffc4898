import type { Command, Option } from 'commander'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'

/** Kind of value of a flag: none, a path, one of these words, or any text. */
type FlagValue = 'nothing' | 'path' | 'text' | readonly string[]

interface CompletedFlag {
  /** Long and short name: `--output`, `-o`. */
  readonly names: readonly string[]
  readonly description: string
  readonly value: FlagValue
}

interface CompletedCommand {
  /** The command as typed: `registry import`. Empty for the program without a command. */
  readonly words: string
  readonly description: string
  readonly flags: readonly CompletedFlag[]
  readonly subcommands: readonly Pick<CompletedCommand, 'words' | 'description'>[]
}

const pathWord = /[<[](?:path|file|folder)[>\]]/

/** Lists all commands, the program first, which also has the flags of the default command. */
function listCompletedCommands(program: Command, defaultCommand: string): CompletedCommand[] {
  const commands = listWithSubcommands(program, '')
  const flags = commands.find(({ words }) => words === defaultCommand)?.flags ?? []
  return commands.map((command) => (command.words === '' ? { ...command, flags } : command))
}

function listWithSubcommands(command: Command, words: string): CompletedCommand[] {
  const help = command.createHelp()
  const subcommands = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  const joinWords = (one: Command) => (words === '' ? one.name() : `${words} ${one.name()}`)
  const own = {
    words,
    description: toOneLine(command.description()),
    flags: help.visibleOptions(command).map(toCompletedFlag),
    subcommands: subcommands.map((one) => ({
      words: joinWords(one),
      description: toOneLine(one.description()),
    })),
  }
  return [own, ...subcommands.flatMap((one) => listWithSubcommands(one, joinWords(one)))]
}

function toCompletedFlag(option: Option): CompletedFlag {
  return {
    names: [option.long, option.short].filter((name) => typeof name === 'string'),
    description: toOneLine(option.description),
    value: getFlagValue(option),
  }
}

function getFlagValue({ argChoices, flags, required, optional }: Option): FlagValue {
  if (!required && !optional) return 'nothing'
  return argChoices ?? (pathWord.test(flags) ? 'path' : 'text')
}

/** Fits a description into one quoted line of a shell script. */
const toOneLine = (text: string): string => text.replace(/\s+/g, ' ').replaceAll("'", '’')

/** All names of the flags whose value is of this kind. */
function listNames(flags: readonly CompletedFlag[], value: 'path' | 'text'): string[] {
  return flags.filter((flag) => flag.value === value).flatMap(({ names }) => names)
}

/** Patterns of a shell's `case`: the command so far, and the word that continues it. */
function buildContinuations(commands: readonly CompletedCommand[]): string {
  return commands
    .filter(({ words }) => words !== '')
    .map(({ words }) => {
      const parts = words.split(' ')
      return `'${parts.slice(0, -1).join(' ')} ${parts.at(-1) ?? ''}'`
    })
    .join('|')
}

/** For bash 3.2 and newer. Without suggestions, readline suggests files. */
function buildBashCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completions of enrich for bash: source <(enrich completion bash)
_enrich() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' word='' index flags='' words='' paths='' texts=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$command $word" in
      ${buildContinuations(commands)}) command=\${command:+$command }$word ;;
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
${commands.map(buildBashChoiceCases).join('')}  esac
  case "$command" in
${commands.map(buildBashCommandCase).join('')}  esac
  case " $paths $texts " in *" $prev "*) return ;; esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *)
      COMPREPLY=($(compgen -W "$words" -- "$cur"))
      if [ -z "$command" ]; then
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
      fi
      ;;
  esac
}
complete -o filenames -o default -F _enrich enrich
`
}

function buildBashChoiceCases({ words, flags }: CompletedCommand): string {
  return flags
    .flatMap(({ names, value }) => {
      if (typeof value === 'string') return []
      const pattern = names.map((name) => `'${words} ${name}'`).join('|')
      return [`    ${pattern}) COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$cur")); return ;;\n`]
    })
    .join('')
}

function buildBashCommandCase({ words, flags, subcommands }: CompletedCommand): string {
  const lastWords = subcommands.map((one) => one.words.split(' ').at(-1) ?? '')
  return (
    `    '${words}')\n` +
    `      flags='${flags.flatMap(({ names }) => names).join(' ')}'\n` +
    `      words='${lastWords.join(' ')}'\n` +
    `      paths='${listNames(flags, 'path').join(' ')}'\n` +
    `      texts='${listNames(flags, 'text').join(' ')}' ;;\n`
  )
}

/** For fish: in `~/.config/fish/completions/enrich.fish`, or sourced. */
function buildFishCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completions of enrich for fish: enrich completion fish | source
function __enrich_command
    set -l command ''
    for word in (commandline -opc)[2..]
        switch "$command $word"
            case ${buildContinuations(commands).replaceAll('|', ' ')}
                set command (string trim "$command $word")
        end
    end
    echo $command
end
function __enrich_is
    test (__enrich_command) = "$argv[1]"
end
${commands.map(formatFishLines).join('')}`
}

function formatFishLines({ words, flags, subcommands }: CompletedCommand): string {
  const line = `complete -c enrich -n '__enrich_is "${words}"'`
  return [
    ...subcommands.map(
      (one) =>
        `${line} -a '${one.words.split(' ').at(-1) ?? ''}' -d '${removeBackslashes(one.description)}'\n`,
    ),
    ...flags.map(
      (flag) =>
        `${line}${formatNamesPart(flag)}${formatValuePart(flag)} -d '${removeBackslashes(flag.description)}'\n`,
    ),
  ].join('')
}

const removeBackslashes = (text: string): string => text.replaceAll('\\', '')

function formatNamesPart({ names }: CompletedFlag): string {
  return names
    .map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`))
    .join('')
}

function formatValuePart({ value }: CompletedFlag): string {
  switch (value) {
    case 'nothing':
      return ''
    case 'path':
      return ' -r -F'
    case 'text':
      return ' -x'
    default:
      return ` -x -a '${value.join(' ')}'`
  }
}

/** For zsh: sourced, or in a folder of `$fpath` as `_enrich`. */
function buildZshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef enrich
# Completions of enrich for zsh: source <(enrich completion zsh)
_enrich() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} command='' word=''
  local -a flags subcommands texts
  for word in \${words[2,CURRENT-1]}; do
    case "$command $word" in
      (${buildContinuations(commands)}) command=\${command:+$command }$word ;;
    esac
  done
  case "$command $prev" in
${commands.map(buildZshChoiceCases).join('')}  esac
  case "$command" in
${commands.map(buildZshCommandCase).join('')}  esac
  if (( \${texts[(Ie)$prev]} )); then _message 'a value'; return; fi
  if [[ $cur == -* ]]; then _describe -o 'flag' flags; return; fi
  (( $#subcommands )) && _describe 'command' subcommands
  _files
}
if [[ $funcstack[1] == _enrich ]]; then _enrich "$@"; else compdef _enrich enrich; fi
`
}

function buildZshChoiceCases({ words, flags }: CompletedCommand): string {
  return flags
    .flatMap(({ names, value }) => {
      if (typeof value === 'string') return []
      const pattern = names.map((name) => `'${words} ${name}'`).join('|')
      return [`    (${pattern}) compadd -- ${value.join(' ')}; return ;;\n`]
    })
    .join('')
}

function buildZshCommandCase({ words, flags, subcommands }: CompletedCommand): string {
  const formatDescribed = (name: string, description: string) =>
    `'${name.replaceAll(':', '\\:')}:${description.replaceAll('\\', '')}'`
  const flagWords = flags.flatMap(({ names, description }) =>
    names.map((name) => formatDescribed(name, description)),
  )
  const commandWords = subcommands.map((one) =>
    formatDescribed(one.words.split(' ').at(-1) ?? '', one.description),
  )
  return (
    `    ('${words}')\n` +
    `      flags=(${flagWords.join(' ')})\n` +
    `      subcommands=(${commandWords.join(' ')})\n` +
    `      texts=(${listNames(flags, 'text').join(' ')}) ;;\n`
  )
}

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: buildBashCompletion,
  zsh: buildZshCompletion,
  fish: buildFishCompletion,
}

/** Adds `enrich completion SHELL`, which prints a completion script for all commands and flags. */
export function fillCompletionCommand(command: Command, io: CliIo): void {
  command.registeredArguments[0]?.choices(Object.keys(scripts))
  command.option('--json', 'print one JSON line')
  command.action((shell: string, flags: { json?: boolean }) => {
    const script = scripts[shell]?.(listCompletedCommands(command.parent ?? command, 'run')) ?? ''
    // Not written with `io.out`, which would wrap the script.
    io.stdout.write(flags.json === true ? formatJsonLine('completion', { shell, script }) : script)
  })
}
