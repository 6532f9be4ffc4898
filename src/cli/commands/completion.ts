import { Argument, type Command } from 'commander'
import { bashCompletion } from '../completion/bash.js'
import { fishCompletion } from '../completion/fish.js'
import { completedCommands, type CompletedCommand } from '../completion/words.js'
import { zshCompletion } from '../completion/zsh.js'
import type { CliIo } from '../terminal/io.js'

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** Prints a script that knows every command and flag, made from the program itself; a shell runs it by itself. */
export function fillCompletionCommand(command: Command, io: CliIo): void {
  const shell = new Argument('<shell>', 'whose script it is').choices(Object.keys(scripts))
  command.addArgument(shell).action((name: string) => {
    const program = command.parent ?? command
    io.stdout.write(scripts[name]?.(completedCommands(program, 'run')) ?? '')
  })
}
