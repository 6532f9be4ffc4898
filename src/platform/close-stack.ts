/** What was opened, to be closed in the opposite order, and all of it whatever goes wrong. */
export interface CloseStack {
  /** Closed before everything that was added earlier. */
  readonly add: (close: () => void) => void
  /** Each is closed once, however often this is called. The first error is thrown, after all were tried. */
  readonly close: () => void
}

/** Opens something made of several, and gives it the way to close them. Where that throws, what was added is closed. */
export function opening<Opened>(open: (stack: CloseStack) => Opened): Opened {
  const closes: (() => void)[] = []
  const closeAll = (errors: unknown[]) => {
    for (let close = closes.pop(); close !== undefined; close = closes.pop()) {
      try {
        close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  try {
    return open({
      add: (close) => {
        closes.push(close)
      },
      close: () => {
        closeAll([])
      },
    })
  } catch (error) {
    closeAll([error])
    throw error
  }
}

export type CloseLater = (close: () => void | Promise<void>) => void

/**
 * Does the work, then closes what it said is to be closed: the last first, each after the one before has ended, all
 * of them tried. The first error is thrown: the work's, or else that of the first that could not be closed.
 */
export async function closingAfter<Result>(
  work: (closeLater: CloseLater) => Promise<Result>,
): Promise<Result> {
  const closes: (() => void | Promise<void>)[] = []
  const errors: unknown[] = []
  const keepError = (error: unknown) => {
    errors.push(error)
  }
  const working = work((close) => {
    closes.push(close)
  })
  await working.catch(keepError)
  for (let close = closes.pop(); close !== undefined; close = closes.pop()) {
    try {
      await close()
    } catch (error) {
      keepError(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return working
}
