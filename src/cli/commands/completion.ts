import type { Command } from 'commander'
import { bashCompletion } from '../completion/bash.js'
import { fishCompletion } from '../completion/fish.js'
import { completedCommands, type CompletedCommand } from '../completion/words.js'
import { zshCompletion } from '../completion/zsh.js'
import { jsonLine, type CliIo } from '../terminal/io.js'

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** Prints a script that knows every command and flag, made from the program itself; a shell runs it by itself. */
export function fillCompletionCommand(command: Command, io: CliIo): void {
  command.registeredArguments[0]?.choices(Object.keys(scripts))
  command.option('--json', 'as one JSON line')
  command.action((shell: string, flags: { json?: boolean }) => {
    const script = scripts[shell]?.(completedCommands(command.parent ?? command, 'run')) ?? ''
    // As it is: what a shell runs is not rewritten for people.
    io.stdout.write(flags.json === true ? jsonLine('completion', { shell, script }) : script)
  })
}
