import { leftOut, withoutSecretArguments } from '../../core/secret-arguments.js'
import { commandLine, type CliIo } from './io.js'

/**
 * The command as it was typed, to be kept: without the value of a flag that may hold a secret, and of an address no more
 * than its scheme and host, where people put keys before or behind.
 */
export function recordedCommand({ program, argv }: Pick<CliIo, 'program' | 'argv'>): string {
  const shown = withoutSecretArguments(argv, ['--webhook-url']).map((argument) =>
    argument.replace(/([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)(.*)/is, hostOnly),
  )
  return commandLine({ program, argv: shown })
}

function hostOnly(_: string, scheme: string, user: string | undefined, host: string, rest: string): string {
  return `${scheme}${user === undefined ? '' : `${leftOut}@`}${host}${/^\/*$/.test(rest) ? '' : `/${leftOut}`}`
}
