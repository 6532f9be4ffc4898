/** A secret value that logs, errors and JSON do not reveal; only `reveal()` returns it. */
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

const secretFlags = ['--notify'] as const

/** Replaces omitted text. */
export const omittedText = '…'

/** Returns arguments for display, without the values of secret flags and of the flags in `more`. */
export function redactArguments(argv: readonly string[], more: readonly string[] = []): string[] {
  const flags: readonly string[] = [...secretFlags, ...more]
  return argv.map((argument, index) => {
    if (flags.includes(argv[index - 1] ?? '')) return omittedText
    const flag = flags.find((name) => argument.startsWith(`${name}=`))
    return flag === undefined ? argument : `${flag}=${omittedText}`
  })
}
