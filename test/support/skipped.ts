/** What is not run on this machine is said loudly: a test that is left out in silence shows nothing. */
export function tellSkipped(reason: string): void {
  process.stderr.write(`SKIPPED: ${reason}\n`)
}
