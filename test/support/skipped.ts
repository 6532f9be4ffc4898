import { spawnSync } from 'node:child_process'

/** What is not run on this machine is said loudly: a test that is left out in silence shows nothing. */
export function tellSkipped(reason: string): void {
  process.stderr.write(`SKIPPED: ${reason}\n`)
}

/** Whether a program can be started here; said loudly where it cannot. */
export function hasProgram(name: string): boolean {
  const isHere = spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined
  if (!isHere) tellSkipped(`there is no ${name} on this machine`)
  return isHere
}
