import { continuations, namesOf, type CompletedCommand } from './words.js'

/** For zsh: sourced, or in a folder of `$fpath` as `_enrich`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef enrich
# Completions of enrich for zsh: source <(enrich completion zsh)
_enrich() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} command='' word=''
  local -a flags subcommands texts
  for word in \${words[2,CURRENT-1]}; do
    case "$command $word" in
      (${continuations(commands)}) command=\${command:+$command }$word ;;
    esac
  done
  case "$command $prev" in
${commands.map(choiceCases).join('')}  esac
  case "$command" in
${commands.map(commandCase).join('')}  esac
  if (( \${texts[(Ie)$prev]} )); then _message 'a value'; return; fi
  if [[ $cur == -* ]]; then _describe -o 'flag' flags; return; fi
  (( $#subcommands )) && _describe 'command' subcommands
  _files
}
if [[ $funcstack[1] == _enrich ]]; then _enrich "$@"; else compdef _enrich enrich; fi
`
}

function choiceCases({ words, flags }: CompletedCommand): string {
  return flags
    .flatMap(({ names, value }) => {
      if (typeof value === 'string') return []
      const pattern = names.map((name) => `'${words} ${name}'`).join('|')
      return [`    (${pattern}) compadd -- ${value.join(' ')}; return ;;\n`]
    })
    .join('')
}

function commandCase({ words, flags, subcommands }: CompletedCommand): string {
  const described = (name: string, description: string) =>
    `'${name.replaceAll(':', '\\:')}:${description.replaceAll('\\', '')}'`
  const flagWords = flags.flatMap(({ names, description }) =>
    names.map((name) => described(name, description)),
  )
  const commandWords = subcommands.map((one) => described(one.words.split(' ').at(-1) ?? '', one.description))
  return (
    `    ('${words}')\n` +
    `      flags=(${flagWords.join(' ')})\n` +
    `      subcommands=(${commandWords.join(' ')})\n` +
    `      texts=(${namesOf(flags, 'text').join(' ')}) ;;\n`
  )
}
