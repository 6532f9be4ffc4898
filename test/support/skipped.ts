import { spawnSync } from 'node:child_process'

/** What is not run on this machine is said loudly: a test that is left out in silence shows nothing. */
export function tellSkipped(reason: string): void {
  process.stderr.write(`SKIPPED: ${reason}\n`)
}

/**
 * Whether this test may use PostgreSQL, a browser or LibreOffice: in the full tier. The fast one needs nothing but
 * Node, so that a test that wants them has a name that ends in `.full.test.ts`.
 */
export function mayUseServers(): boolean {
  const servers = process.env['TEST_SERVERS']
  if (servers === 'refused') throw new Error('a test that needs this program is named *.full.test.ts')
  return servers !== 'absent'
}

/** In CI, the fast tier has run the tests of both tiers with files: the full one runs them with servers only. */
export const areFilesTested = process.env['TEST_STORES'] !== 'servers'

/** Whether a program can be started here; said loudly where it cannot. */
export function hasProgram(name: string): boolean {
  const isHere = spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined
  if (!isHere) tellSkipped(`there is no ${name} on this machine`)
  return isHere
}
