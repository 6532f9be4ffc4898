import fc from 'fast-check'

type Arbitraries<Values extends [unknown, ...unknown[]]> = {
  readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]>
}
/** The number of runs, or all parameters. */
type Runs<Values> = number | fc.Parameters<Values>

const toParameters = <Values>(runs: Runs<Values>): fc.Parameters<Values> =>
  typeof runs === 'number' ? { numRuns: runs } : runs

/** Checks a rule for generated values, and shrinks those that break it. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  runs: Runs<Values>,
  arbitraries: Arbitraries<Values>,
  check: (...values: Values) => unknown,
): void {
  fc.assert(fc.property<Values>(...(arbitraries as never), check as never), toParameters(runs))
}

export function forAllAsync<Values extends [unknown, ...unknown[]]>(
  runs: Runs<Values>,
  arbitraries: Arbitraries<Values>,
  check: (...values: Values) => Promise<unknown>,
): Promise<void> {
  return fc.assert(fc.asyncProperty<Values>(...(arbitraries as never), check as never), toParameters(runs))
}
