/** A value that shows itself only to who asks for it by name: no log, error or JSON holds it by accident. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }
}

/** Flags whose value may be a secret. */
const secretFlags = ['--notify'] as const

/** What stands where something is left out. */
export const leftOut = '…'

/** Arguments as they may be shown: each value that may be a secret is left out, and those of `more` flags. */
export function withoutSecretArguments(argv: readonly string[], more: readonly string[] = []): string[] {
  const flags: readonly string[] = [...secretFlags, ...more]
  return argv.map((argument, index) => {
    if (flags.includes(argv[index - 1] ?? '')) return leftOut
    const flag = flags.find((name) => argument.startsWith(`${name}=`))
    return flag === undefined ? argument : `${flag}=${leftOut}`
  })
}
