import { ThreadSlot, type ThreadSlotDeps, type ThreadSlotListener } from './matcher-thread.js'
import { receiveError } from '../core/errors.js'
import type { Answered, Asked, Question, QuestionAnswer } from './matcher-protocol.js'

const dispatchLimits = {
  /** Interval of checking the progress of the threads. */
  watchEveryMs: 10,
  /** After this many ended threads, the question is considered the cause. */
  endedThreadsMax: 2,
} as const

export interface DispatchDeps extends ThreadSlotDeps {
  readonly threadCount: number
  /** Answers a question in this thread if no other is available. */
  readonly answerHere: (question: Question) => QuestionAnswer
}

interface Ticket extends Asked {
  readonly resolve: (answer: QuestionAnswer) => void
  readonly reject: (error: unknown) => void
  endedThreadCount: number
}

type Queues = Record<Question['kind'], Ticket[]>

const numberMax = 2 ** 31 - 1
const kinds = ['resolve', 'search', 'candidates', 'likely'] as const satisfies readonly Question['kind'][]

/** Sends each question to the least loaded thread, several in a message. */
export class Dispatch {
  readonly #deps: DispatchDeps
  readonly #places: readonly ThreadSlot[]
  readonly #open = new Map<number, Ticket>()
  /** Waiting questions by kind. Kinds alternate, because runs come in hundreds and searches one by one. */
  readonly #waiting: Queues = { resolve: [], search: [], candidates: [], likely: [] }
  readonly #closing = new AbortController()
  #turn = 0
  #lastNumber = 0
  #isPumpDue = false
  #isWatching = false

  constructor(deps: DispatchDeps) {
    this.#deps = deps
    const listener: ThreadSlotListener = {
      onAnswered: (answered) => {
        for (const one of answered) this.#answer(one)
        this.#scheduleSending()
      },
      onReturned: (asked) => {
        for (const { number } of [...asked].reverse()) this.#askAgain(number)
        this.#scheduleSending()
      },
      onGivenUp: ({ number }, why) => {
        this.#giveUp(number, why)
      },
      onChanged: () => {
        this.#scheduleSending()
      },
    }
    this.#places = Array.from({ length: deps.threadCount }, () => new ThreadSlot(deps, listener))
  }

  /** Whether threads accept questions, or are restarting. */
  get isOpen(): boolean {
    return this.#places.some(({ state }) => state === 'open' || state === 'restarting')
  }

  get openCount(): number {
    return this.#places.filter(({ state }) => state === 'open').length
  }

  countWaiting(kind: Question['kind']): number {
    return this.#waiting[kind].length
  }

  ask(question: Question): Promise<QuestionAnswer> {
    return new Promise((resolve, reject) => {
      this.#lastNumber = this.#lastNumber === numberMax ? 1 : this.#lastNumber + 1
      const ticket: Ticket = { number: this.#lastNumber, question, resolve, reject, endedThreadCount: 0 }
      this.#open.set(ticket.number, ticket)
      this.#waiting[question.kind].push(ticket)
      this.#scheduleSending()
      if (!this.#isWatching) void this.#watch()
    })
  }

  /** Rejects open questions, and ends the threads. */
  async close(): Promise<void> {
    this.#closing.abort()
    for (const number of [...this.#open.keys()]) this.#take(number)?.reject(createClosedError())
    await Promise.all(this.#places.map((place) => place.end()))
  }

  /** Defers sending, so that questions of the same tick share a message. */
  #scheduleSending(): void {
    if (this.#isPumpDue) return
    this.#isPumpDue = true
    queueMicrotask(() => {
      this.#isPumpDue = false
      this.#sendWaiting()
    })
  }

  #sendWaiting(): void {
    if (this.#closing.signal.aborted) return
    for (let place = findLeastLoaded(this.#places); place !== null; place = findLeastLoaded(this.#places)) {
      const ticket = this.#next()
      if (ticket === undefined) break
      place.give({ number: ticket.number, question: ticket.question })
    }
    for (const place of this.#places) place.send()
    if (this.#places.every(({ state }) => state === 'gone')) this.#answerOneHere()
  }

  #next(): Ticket | undefined {
    for (let passedCount = 0; passedCount < kinds.length; passedCount++) {
      const kind = kinds[this.#turn++ % kinds.length] ?? 'resolve'
      const ticket = this.#takeNext(this.#waiting[kind])
      if (ticket !== undefined) return ticket
    }
    return undefined
  }

  /** Skips questions that were withdrawn from a thread, but that it has answered nevertheless. */
  #takeNext(waiting: Ticket[]): Ticket | undefined {
    let ticket = waiting.shift()
    while (ticket !== undefined && !this.#open.has(ticket.number)) ticket = waiting.shift()
    return ticket
  }

  #answerOneHere(): void {
    const ticket = this.#next()
    if (ticket === undefined) return
    this.#take(ticket.number)
    try {
      ticket.resolve(this.#deps.answerHere(ticket.question))
    } catch (error) {
      ticket.reject(error)
    }
    setImmediate(() => {
      this.#scheduleSending()
    })
  }

  #take(number: number): Ticket | undefined {
    const ticket = this.#open.get(number)
    this.#open.delete(number)
    return ticket
  }

  #answer(answered: Answered): void {
    const ticket = this.#take(answered.number)
    if ('texts' in answered) ticket?.resolve(answered)
    else ticket?.reject(receiveError(answered.error))
  }

  #askAgain(number: number): void {
    const ticket = this.#open.get(number)
    if (ticket !== undefined) this.#waiting[ticket.question.kind].unshift(ticket)
  }

  /** Rejects or repeats a question. Repeating a read is safe, but a question that ends its thread twice is rejected. */
  #giveUp(number: number, why: 'too_long' | 'thread_ended'): void {
    const ticket = this.#open.get(number)
    if (ticket === undefined) return
    if (why === 'too_long') {
      const seconds = this.#deps.questionMsMax / 1000
      this.#take(number)?.reject(
        new Error(`matching this name took longer than ${seconds} s, and was stopped`),
      )
    } else if (++ticket.endedThreadCount >= dispatchLimits.endedThreadsMax) {
      this.#take(number)?.reject(new Error('matching this name ended its thread, and that of the retry'))
    } else this.#askAgain(number)
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    while (this.#open.size > 0 && !this.#closing.signal.aborted) {
      await this.#deps.clock.sleep(dispatchLimits.watchEveryMs, this.#closing.signal)
      for (const place of this.#places) place.look()
    }
    this.#isWatching = false
  }
}

function findLeastLoaded(places: readonly ThreadSlot[]): ThreadSlot | null {
  let least: { place: ThreadSlot; load: number } | null = null
  for (const place of places) {
    const { load } = place
    if (load !== null && (least === null || load < least.load)) least = { place, load }
  }
  return least?.place ?? null
}

export const createClosedError = (): Error => new Error('the matchers are closed')
