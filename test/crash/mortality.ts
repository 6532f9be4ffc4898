import type { LookupUpdate } from '../../src/pipeline/checkpoint/transitions.js'

/** What a dead process is thrown out of its calls by. */
export class Death extends Error {}

/**
 * One process: it counts its durable steps and dies at one of them, between two instructions like a real one.
 * `onDeath` takes the files as they are at that moment; what the code does afterwards, while it is thrown out
 * of what it was doing, happens to files that nobody looks at.
 */
export class Life {
  /** What it did, in order: "before" and "after" each step. */
  readonly steps: string[] = []
  isDead = false

  constructor(
    /** The how manyeth step, or the first of that name. */
    private readonly dieAt: number | string,
    private readonly onDeath: () => void,
  ) {}

  /** A call to the world outside: the dead do not get through. */
  async around<Result>(label: string, call: () => Promise<Result>): Promise<Result> {
    if (this.isDead) throw new Death(label)
    this.#meet(`before ${label}`)
    const result = await call()
    this.#meet(`after ${label}`)
    return result
  }

  /** A change of files: the dead may clear up, in files that nobody looks at. */
  async aroundFile<Result>(label: string, call: () => Promise<Result>): Promise<Result> {
    return this.isDead ? call() : this.around(label, call)
  }

  aroundFileSync<Result>(label: string, call: () => Result): Result {
    if (this.isDead) return call()
    this.#meet(`before ${label}`)
    const result = call()
    this.#meet(`after ${label}`)
    return result
  }

  #meet(label: string): void {
    if (!this.isDead) {
      this.steps.push(label)
      if (this.dieAt !== this.steps.length && this.dieAt !== label) return
      this.isDead = true
      this.onDeath()
    }
    throw new Death(label)
  }
}

/**
 * The numbers, from 1, of the steps from `first` on whose death leaves something new: before a step everything is as
 * after the one before it, and a sync or a close changes nothing that another process sees.
 */
export function tellingSteps(steps: readonly string[], first = 1, last = steps.length): number[] {
  return steps.flatMap((step, index) => {
    const number = index + 1
    return number >= first && number <= last && (number === first || /^after (?!fsync|close)/.test(step))
      ? [number]
      : []
  })
}

const parity = Math.floor(Math.random() * 2)
/** Half of the steps, in each process other ones: a death names its step. */
export const everyOther = (steps: readonly number[]): number[] => steps.filter((_, at) => at % 2 === parity)

/** A change of the checkpoint is named after its event. */
function label(name: string, [, what]: readonly unknown[]): string {
  return name === 'change' ? (what as LookupUpdate).event : name
}

/** The same object, with a step before and after each of its asynchronous methods but `close`; also those of `history`. */
export function mortal<Target extends object>(target: Target, life: Life): Target {
  return new Proxy(target, {
    get: (_, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (name === 'history') return mortal(member as object, life)
      if (typeof member !== 'function') return member
      const call = member.bind(target) as (...args: unknown[]) => unknown
      if (name === 'close') return call
      return (...args: unknown[]) =>
        life.around(label(String(name), args), () => call(...args) as Promise<unknown>)
    },
  })
}
