import { continuations, namesOf, type CompletedCommand } from './words.js'

/** For bash from 3.2 on. Where nothing is offered, readline offers files. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completions of enrich for bash: source <(enrich completion bash)
_enrich() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' word='' index flags='' words='' paths='' texts=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$command $word" in
      ${continuations(commands)}) command=\${command:+$command }$word ;;
    esac
  done
  COMPREPLY=()
  case "$command $prev" in
${commands.map(choiceCases).join('')}  esac
  case "$command" in
${commands.map(commandCase).join('')}  esac
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

function choiceCases({ words, flags }: CompletedCommand): string {
  return flags
    .flatMap(({ names, value }) => {
      if (typeof value === 'string') return []
      const pattern = names.map((name) => `'${words} ${name}'`).join('|')
      return [`    ${pattern}) COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$cur")); return ;;\n`]
    })
    .join('')
}

function commandCase({ words, flags, subcommands }: CompletedCommand): string {
  const lastWords = subcommands.map((one) => one.words.split(' ').at(-1) ?? '')
  return (
    `    '${words}')\n` +
    `      flags='${flags.flatMap(({ names }) => names).join(' ')}'\n` +
    `      words='${lastWords.join(' ')}'\n` +
    `      paths='${namesOf(flags, 'path').join(' ')}'\n` +
    `      texts='${namesOf(flags, 'text').join(' ')}' ;;\n`
  )
}
