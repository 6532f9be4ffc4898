/** Initial ratio of the longest duration to the shortest. */
const typicalSpread = 5
const binsPerShortest = 12
const binCount = 720
const priorWeight = 4
/** A run beyond this quantile is older than any known one, and counts as one observation. */
const outlivedShare = 0.999
/** Old observations fade, to adapt to a slower service. */
const observationsMax = 400
/** Share of runs that meet an estimate in displays. */
const likelyChance = 0.9
/** An end with a greater uncertainty is ignored. */
const uncertaintyMsMax = 120_000

/** Observed end of a run, in ages of the run. */
export interface RunEnding {
  /** Last seen running; 0 if never. */
  seenMs: number
  /** Arrival of the answer. */
  knownMs: number
  /** End reported by the service; null if not usable. */
  saidMs: number | null
  /** Whether the answer was sent at the end, not polled later. */
  isSent: boolean
}

/**
 * Distribution of run durations, learned during the run, in milliseconds. The prior has the weight of a few
 * observations, and is even from `shortestMs` to five times that: for a minute, the interface's "one to five minutes"
 * (section "Limits").
 */
export class RunDurations {
  readonly #binMs: number
  readonly #weights = new Float64Array(binCount)
  #total = 0
  /** Cumulative weights; null after a change. */
  #sums: Float64Array | null = null
  /** Open runs that have a weight. */
  #openCount = 0
  readonly #shortestMs: number

  constructor(shortestMs: number) {
    this.#shortestMs = shortestMs
    this.#binMs = shortestMs / binsPerShortest
    this.#addWeight(shortestMs, shortestMs * typicalSpread, priorWeight)
  }

  /**
   * Learns from the end of a run: the reported time if plausible, else the arrival of a delivery, else the interval
   * since it was last seen running.
   */
  addEnding({ seenMs, knownMs, saidMs, isSent }: RunEnding): void {
    this.#withdraw(seenMs)
    const exactMs = saidMs !== null && saidMs > seenMs && saidMs <= knownMs ? saidMs : isSent ? knownMs : null
    if (exactMs !== null) this.observe(exactMs, exactMs)
    else if (knownMs - Math.max(seenMs, this.#shortestMs) <= uncertaintyMsMax) this.observe(seenMs, knownMs)
  }

  /** Observes the end of a run at an age in (`fromMs`, `toMs`], exact if they are equal. The part above the shortest duration counts. */
  observe(fromMs: number, toMs: number): void {
    this.#scaleDown()
    this.#addWeight(Math.min(toMs, Math.max(fromMs, this.#shortestMs)), toMs, 1)
  }

  /**
   * Notes that a run is running at `ageMs`; `seenMs` is the previous such age, 0 if never. Until it ends, it counts as
   * an observation at a later age, since otherwise early ends would dominate. Beyond the known ages, durations up to
   * twice its age become possible.
   */
  noteRunning(seenMs: number, ageMs: number): void {
    this.#withdraw(seenMs)
    this.#scaleDown()
    this.#openCount++
    const beyond = this.#weightBeyond(ageMs)
    if (beyond < this.#total * (1 - outlivedShare)) this.#addWeight(ageMs, ageMs * 2, 1)
    else this.#scaleBeyond(ageMs, 1 + 1 / beyond)
  }

  /** Returns the share of runs that have ended at this age. */
  getShareDone(ageMs: number): number {
    const sums = (this.#sums ??= this.#sum())
    const position = Math.max(0, ageMs) / this.#binMs
    const bin = Math.min(Math.floor(position), binCount - 1)
    const below = bin === 0 ? 0 : (sums[bin - 1] ?? 0)
    const within = (this.#weights[bin] ?? 0) * Math.min(1, position - bin)
    return Math.min(1, (below + within) / this.#total)
  }

  /** Returns the chance that a run last seen running at `seenMs` has ended at `ageMs`. */
  getChanceDone(seenMs: number, ageMs: number): number {
    const left = 1 - this.getShareDone(seenMs)
    // Older than any known run, so nothing is known.
    return left < 1e-3 ? 0.5 : Math.max(0, this.getShareDone(ageMs) - this.getShareDone(seenMs)) / left
  }

  /** Returns the age at which the chance reaches `chance` for a run last seen running at `seenMs`. */
  getAgeForChance(seenMs: number, chance: number): number {
    let [low, high] = [seenMs, this.#binMs * binCount]
    if (this.getChanceDone(seenMs, high) < chance) return high
    while (high - low > this.#binMs / 10) {
      const middle = (low + high) / 2
      if (this.getChanceDone(seenMs, middle) < chance) low = middle
      else high = middle
    }
    return high
  }

  /**
   * Returns the time until a run of age `ageMs`, last seen running at `seenMs`, has probably ended; 0 if it is overdue.
   * A run older than any known one is expected to take as long again.
   */
  getLikelyLeftMs(seenMs: number, ageMs: number): number {
    if (1 - this.getShareDone(seenMs) < 1 - outlivedShare) return ageMs
    return Math.max(0, this.getAgeForChance(seenMs, likelyChance) - ageMs)
  }

  /** Removes the weight of a run last seen running at `seenMs`, which has now been seen again or has ended. */
  #withdraw(seenMs: number): void {
    if (seenMs === 0 || this.#openCount === 0) return
    this.#openCount--
    const beyond = this.#weightBeyond(seenMs)
    if (beyond > 0) this.#scaleBeyond(seenMs, Math.max(0, 1 - 1 / beyond))
  }

  #weightBeyond(ageMs: number): number {
    return this.#total * (1 - this.getShareDone(ageMs))
  }

  #scaleBeyond(ageMs: number, factor: number): void {
    const position = Math.max(0, ageMs) / this.#binMs
    const first = Math.min(Math.floor(position), binCount - 1)
    for (let bin = first; bin < binCount; bin++) {
      const weight = this.#weights[bin] ?? 0
      const scaled = bin === first ? weight * Math.max(0, 1 - (position - first)) : weight
      this.#weights[bin] = weight + scaled * (factor - 1)
    }
    this.#recomputeTotal()
  }

  #scaleDown(): void {
    if (this.#total <= observationsMax) return
    for (let bin = 0; bin < binCount; bin++) this.#weights[bin] = (this.#weights[bin] ?? 0) / 2
    this.#recomputeTotal()
  }

  /** Recalculates the total, so that rounding errors do not accumulate. */
  #recomputeTotal(): void {
    this.#sums = this.#sum()
    this.#total = this.#sums.at(-1) ?? 0
  }

  #addWeight(fromMs: number, toMs: number, weight: number): void {
    const first = Math.min(Math.floor(Math.max(0, fromMs) / this.#binMs), binCount - 1)
    const last = Math.max(first, Math.min(Math.ceil(toMs / this.#binMs) - 1, binCount - 1))
    for (let bin = first; bin <= last; bin++)
      this.#weights[bin] = (this.#weights[bin] ?? 0) + weight / (last - first + 1)
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

/** Open runs of one kind, for displays. Times in milliseconds. */
export interface OpenRunsView {
  /** Age of the oldest run that this process submitted; `null` if none is open. */
  readonly oldestMs: number | null
  /** A run submitted now has probably ended after this time. */
  readonly runMs: number
  /** All open runs have probably ended after this time; 0 if none is open. */
  readonly leftMs: number
}

/** An open run, in milliseconds of one clock. `asked` is set if an earlier process submitted it, or a webhook requests its poll. */
type OpenRunTimes = Readonly<{ submittedAtMs: number; seenRunningAtMs: number | null; asked: unknown }>

/** Assumes that the youngest run ends last. */
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
  const runMs = durations.getLikelyLeftMs(0, 0)
  if (youngest === null) return { oldestMs, runMs, leftMs: 0 }
  const { submittedAtMs, seenRunningAtMs } = youngest
  const seenMs = seenRunningAtMs === null ? 0 : seenRunningAtMs - submittedAtMs
  return { oldestMs, runMs, leftMs: durations.getLikelyLeftMs(seenMs, nowMs - submittedAtMs) }
}
