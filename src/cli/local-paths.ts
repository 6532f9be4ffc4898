import type { Command } from 'commander'
import { assertLocalPath, type PathUse } from '../core/local-path.js'

/** What flags and arguments call a path; whatever is none of these is a name, a URL or a number. */
const pathWord = /[<[](?:path|file|folder)[>\]]/
const argumentNames = ['inputs', 'file', 'files', 'paths', 'folder', 'queries', 'ledger']
const useOfFlag: Readonly<Record<string, PathUse>> = {
  output: 'output',
  checkpoint: 'checkpoint',
  registry: 'registry',
  errors: 'output',
}

/** Refuses an address wherever a command takes a path, before the command begins. */
export function assertLocalArguments(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (typeof value === 'string' && pathWord.test(option.flags))
      assertLocalPath(value, useOfFlag[option.attributeName()] ?? 'file')
  }
  for (const [index, argument] of command.registeredArguments.entries()) {
    if (!argumentNames.includes(argument.name())) continue
    for (const value of [command.processedArgs[index]].flat())
      if (typeof value === 'string') assertLocalPath(value, 'input')
  }
}
