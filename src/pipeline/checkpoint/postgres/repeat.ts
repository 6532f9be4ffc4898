/**
 * Does something again and again, so long after it last began, or when it ended if that is later; what it throws is
 * its own to note. It keeps no process alive. Gives what ends it, once what is under way has ended.
 */
export function startRepeating(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let isStopped = false
  let working: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const plan = (delayMs: number) => {
    timer = setTimeout(() => {
      const begunAtMs = performance.now()
      working = work().finally(() => {
        if (!isStopped) plan(Math.max(0, begunAtMs + everyMs - performance.now()))
      })
    }, delayMs).unref()
  }
  plan(everyMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
    return working
  }
}
