/** Flags whose value may be a secret. */
const secretFlags = ['--notify']

/** Arguments as they may be shown: each value that may be a secret is left out. */
export function withoutSecretArguments(argv: readonly string[]): string[] {
  return argv.map((argument, index) => {
    if (secretFlags.includes(argv[index - 1] ?? '')) return '…'
    const flag = secretFlags.find((name) => argument.startsWith(`${name}=`))
    return flag === undefined ? argument : `${flag}=…`
  })
}
