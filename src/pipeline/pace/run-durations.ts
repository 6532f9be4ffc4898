/** The longest run takes this many times as long as the shortest, until more is known. */
const typicalSpread = 5
const binsPerShortest = 12
const binCount = 720
const priorWeight = 4
/** Beyond this age a run is older than any known; it weighs as much as one observation. */
const outlivedShare = 0.999
/** Old observations fade, so that a service that gets slower is followed. */
const observationsMax = 400

/** An estimate for people is met by so many of the runs. */
const likelyChance = 0.9

/** An ending known no better than this teaches nothing. */
const uncertaintyMsMax = 120_000

/** What is known of when a run ended, in ages of the run. */
export interface RunEnding {
  /** When it was last seen running; 0 if never. */
  seenMs: number
  /** When its answer came. */
  knownMs: number
  /** What the service says; null where it says nothing usable. */
  saidMs: number | null
  /** Sent as the run ended, rather than asked for some time after. */
  isSent: boolean
}

/**
 * How long runs take, learned while they are waited for. Ages in milliseconds. The prior, believed as much as
 * a few observations, is even from `shortestMs` to five times that: with a minute, the interface's "one to
 * five minutes" (section "Limits").
 */
export class RunDurations {
  readonly #binMs: number
  readonly #weights = new Float64Array(binCount)
  #total = 0
  /** Sums of the weights, made anew when they are asked for after a change. */
  #sums: Float64Array | null = null

  /** Runs that weigh something although they have not ended. */
  #openCount = 0

  readonly #shortestMs: number

  constructor(shortestMs: number) {
    this.#shortestMs = shortestMs
    this.#binMs = shortestMs / binsPerShortest
    this.#spread(shortestMs, shortestMs * typicalSpread, priorWeight)
  }

  /** A run ended: when the service says, where that can be true; else when its answer was sent; else since it was seen. */
  learn({ seenMs, knownMs, saidMs, isSent }: RunEnding): void {
    this.#withdraw(seenMs)
    const exactMs = saidMs !== null && saidMs > seenMs && saidMs <= knownMs ? saidMs : isSent ? knownMs : null
    if (exactMs !== null) this.observe(exactMs, exactMs)
    else if (knownMs - Math.max(seenMs, this.#shortestMs) <= uncertaintyMsMax) this.observe(seenMs, knownMs)
  }

  /**
   * A run ended at an age above `fromMs` and up to `toMs`; the same twice where it is known exactly. Of a span
   * only what is not shorter than the shortest counts.
   */
  observe(fromMs: number, toMs: number): void {
    this.#fade()
    this.#spread(Math.min(toMs, Math.max(fromMs, this.#shortestMs)), toMs, 1)
  }

  /**
   * A run is running at `ageMs`; `seenMs` is when it was seen running before, 0 if never. Until it ends it weighs as
   * much as one that did, at a later age: what ends early is known first, and would be taken for the rule otherwise.
   * At an age at which hardly any should be running some take longer than was thought, up to twice as long for all
   * that is known.
   */
  stillRunning(seenMs: number, ageMs: number): void {
    this.#withdraw(seenMs)
    this.#fade()
    this.#openCount++
    const beyond = this.#weightBeyond(ageMs)
    if (beyond < this.#total * (1 - outlivedShare)) this.#spread(ageMs, ageMs * 2, 1)
    else this.#scaleBeyond(ageMs, 1 + 1 / beyond)
  }

  /** The share of runs that have ended at this age. */
  doneBy(ageMs: number): number {
    const sums = (this.#sums ??= this.#sum())
    const position = Math.max(0, ageMs) / this.#binMs
    const bin = Math.min(Math.floor(position), binCount - 1)
    const below = bin === 0 ? 0 : (sums[bin - 1] ?? 0)
    const within = (this.#weights[bin] ?? 0) * Math.min(1, position - bin)
    return Math.min(1, (below + within) / this.#total)
  }

  /** The chance that a run that was seen running at `seenMs` has ended at `ageMs`. */
  chanceDone(seenMs: number, ageMs: number): number {
    const left = 1 - this.doneBy(seenMs)
    // Older than any run known: nothing is known of it, so every moment is as good as the next.
    return left < 1e-3 ? 0.5 : Math.max(0, this.doneBy(ageMs) - this.doneBy(seenMs)) / left
  }

  /** The age at which the chance reaches `chance` for a run that was seen running at `seenMs`. */
  ageForChance(seenMs: number, chance: number): number {
    let [low, high] = [seenMs, this.#binMs * binCount]
    if (this.chanceDone(seenMs, high) < chance) return high
    while (high - low > this.#binMs / 10) {
      const middle = (low + high) / 2
      if (this.chanceDone(seenMs, middle) < chance) low = middle
      else high = middle
    }
    return high
  }

  /**
   * The time until a run of age `ageMs` has most likely ended, where it was last seen running at `seenMs`; 0 if it is
   * overdue. A run older than any known one is expected to take as long again.
   */
  likelyLeftMs(seenMs: number, ageMs: number): number {
    if (1 - this.doneBy(seenMs) < 1 - outlivedShare) return ageMs
    return Math.max(0, this.ageForChance(seenMs, likelyChance) - ageMs)
  }

  /** What a run weighs that was seen running then: it is seen anew, or has ended. */
  #withdraw(seenMs: number): void {
    if (seenMs === 0 || this.#openCount === 0) return
    this.#openCount--
    const beyond = this.#weightBeyond(seenMs)
    if (beyond > 0) this.#scaleBeyond(seenMs, Math.max(0, 1 - 1 / beyond))
  }

  #weightBeyond(ageMs: number): number {
    return this.#total * (1 - this.doneBy(ageMs))
  }

  #scaleBeyond(ageMs: number, factor: number): void {
    const position = Math.max(0, ageMs) / this.#binMs
    const first = Math.min(Math.floor(position), binCount - 1)
    for (let bin = first; bin < binCount; bin++) {
      const weight = this.#weights[bin] ?? 0
      const scaled = bin === first ? weight * Math.max(0, 1 - (position - first)) : weight
      this.#weights[bin] = weight + scaled * (factor - 1)
    }
    this.#resum()
  }

  #fade(): void {
    if (this.#total <= observationsMax) return
    for (let bin = 0; bin < binCount; bin++) this.#weights[bin] = (this.#weights[bin] ?? 0) / 2
    this.#resum()
  }

  /** The total is a sum of the weights as they are: nothing adds up over thousands of changes. */
  #resum(): void {
    this.#sums = this.#sum()
    this.#total = this.#sums.at(-1) ?? 0
  }

  #spread(fromMs: number, toMs: number, weight: number): void {
    const first = Math.min(Math.floor(Math.max(0, fromMs) / this.#binMs), binCount - 1)
    const last = Math.max(first, Math.min(Math.ceil(toMs / this.#binMs) - 1, binCount - 1))
    for (let bin = first; bin <= last; bin++) {
      this.#weights[bin] = (this.#weights[bin] ?? 0) + weight / (last - first + 1)
    }
    this.#total += weight
    this.#sums = null
  }

  #sum(): Float64Array {
    const sums = new Float64Array(binCount)
    let sum = 0
    for (let bin = 0; bin < binCount; bin++) sums[bin] = sum += this.#weights[bin] ?? 0
    return sums
  }
}

/** The runs of one kind that are open, for people. Times in milliseconds. */
export interface OpenRunsView {
  /** Age of the oldest run that this process submitted; `null` if none of them is open. */
  readonly oldestMs: number | null
  /** A run that is submitted now has likely ended after this time. */
  readonly runMs: number
  /** All open runs have likely ended after this time; 0 if none is open. */
  readonly leftMs: number
}

/** A run that is open. Times of one clock, in milliseconds. */
interface OpenRunTimes {
  readonly submittedAtMs: number
  readonly seenRunningAtMs: number | null
  /** Set if an earlier process submitted it, or a webhook asks for its poll. */
  readonly asked: unknown
}

/** The youngest run is taken to be the last one to end. */
export function viewOpenRuns(
  runs: Iterable<OpenRunTimes>,
  durations: RunDurations,
  nowMs: number,
): OpenRunsView {
  let youngest: OpenRunTimes | null = null
  let oldestMs: number | null = null
  for (const run of runs) {
    if (youngest === null || run.submittedAtMs > youngest.submittedAtMs) youngest = run
    if (run.asked === null) oldestMs = Math.max(oldestMs ?? 0, nowMs - run.submittedAtMs)
  }
  const runMs = durations.likelyLeftMs(0, 0)
  if (youngest === null) return { oldestMs, runMs, leftMs: 0 }
  const { submittedAtMs, seenRunningAtMs } = youngest
  const seenMs = seenRunningAtMs === null ? 0 : seenRunningAtMs - submittedAtMs
  return { oldestMs, runMs, leftMs: durations.likelyLeftMs(seenMs, nowMs - submittedAtMs) }
}
