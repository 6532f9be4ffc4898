/**
 * The behaviours of the interface that the service must show, by the ids that stand in the names of the tests:
 * a family and its numbers, ranges included. What each means is said by the tests that bear it.
 */
export const servedBehaviours = {
  AUTH: '01-13 18',
  ID: '01-22',
  SRCH: '01-14 16-18',
  V2: '01-04 06-19 23-27 29-32',
  KICK: '01-22 29 32-34',
  JOB: '01-08 10-13',
  RUN: '01-08 12 14',
  BAS: '01-11 14-15',
  INV: '01-16 18-19 21',
  E1: '01-14',
  E3: '01-02 04-28 30',
  MRG: '01-04 07',
  D1: '01-04',
  D3: '01-14 16',
  H: '01-14',
  REP: '01',
  MCP: '01-18',
  WH: '01-10',
  SIG: '01-10 20-24',
  RTY: '01-09 13-14',
  TRN: '01-05',
  URL: '01-19',
  ERR: '01-02 05-08 14',
  RL: '01-13 18',
  VER: '01-03',
  DUR: '01-03 08-10',
} as const

/** Those of them that a client has a part in too: a fake service has to show them as the real one does. */
export const sharedBehaviours = {
  AUTH: '01',
  ID: '09-10 22',
  V2: '09 31',
  RUN: '04-06 08',
  BAS: '10 15',
  INV: '09',
  MRG: '04',
  SIG: '07-10',
  RL: '13',
  DUR: '01-03 08 10',
} as const

/** `AUTH: '02-04 06'` as `AUTH-02`, `AUTH-03`, `AUTH-04`, `AUTH-06`. */
export function idsOf(families: Readonly<Record<string, string>>): string[] {
  return Object.entries(families).flatMap(([family, numbers]) =>
    numbers.split(' ').flatMap((range) => {
      const [first = '', last = first] = range.split('-')
      const length = Number(last) - Number(first) + 1
      return Array.from(
        { length },
        (_, index) => `${family}-${String(Number(first) + index).padStart(2, '0')}`,
      )
    }),
  )
}
