import { continuations, type CompletedCommand, type CompletedFlag } from './words.js'

/** For fish: in `~/.config/fish/completions/enrich.fish`, or sourced. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completions of enrich for fish: enrich completion fish | source
function __enrich_command
    set -l command ''
    for word in (commandline -opc)[2..]
        switch "$command $word"
            case ${continuations(commands).replaceAll('|', ' ')}
                set command (string trim "$command $word")
        end
    end
    echo $command
end
function __enrich_is
    test (__enrich_command) = "$argv[1]"
end
${commands.map(linesOf).join('')}`
}

function linesOf({ words, flags, subcommands }: CompletedCommand): string {
  const line = `complete -c enrich -n '__enrich_is "${words}"'`
  return [
    ...subcommands.map(
      (one) => `${line} -a '${one.words.split(' ').at(-1) ?? ''}' -d '${safe(one.description)}'\n`,
    ),
    ...flags.map((flag) => `${line}${namesPart(flag)}${valuePart(flag)} -d '${safe(flag.description)}'\n`),
  ].join('')
}

const safe = (text: string): string => text.replaceAll('\\', '')

function namesPart({ names }: CompletedFlag): string {
  return names
    .map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`))
    .join('')
}

function valuePart({ value }: CompletedFlag): string {
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
