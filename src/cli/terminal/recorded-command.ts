import { commandLine, type CliIo } from './io.js'

/** Flags whose value may hold what is secret. */
const secretFlags = ['--webhook-url', '--notify']

const leftOut = '…'

/**
 * The command as it was typed, to be kept: without the value of a flag that may hold a secret, and of an address no more
 * than its scheme and host, where people put keys before or behind.
 */
export function recordedCommand({ program, argv }: Pick<CliIo, 'program' | 'argv'>): string {
  const shown = argv.map((argument, index) => {
    const [flag = '', ...value] = argument.split('=')
    if (secretFlags.includes(argv[index - 1] ?? '')) return leftOut
    if (secretFlags.includes(flag)) return value.length === 0 ? flag : `${flag}=${leftOut}`
    return argument.replace(/([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)(.*)/is, hostOnly)
  })
  return commandLine({ program, argv: shown })
}

function hostOnly(_: string, scheme: string, user: string | undefined, host: string, rest: string): string {
  return `${scheme}${user === undefined ? '' : `${leftOut}@`}${host}${/^\/*$/.test(rest) ? '' : `/${leftOut}`}`
}
