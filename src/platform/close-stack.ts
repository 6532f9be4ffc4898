/** Opened resources, closed in reverse order; an error does not keep the others from being closed. */
export interface CloseStack {
  /** Adds a resource, which is closed before all earlier ones. */
  readonly add: (close: () => void) => void
  /** Closes each resource once, even if called again. Throws the first error after closing all. */
  readonly close: () => void
}

/** Opens a composite resource; passes `open` the stack for its parts. If `open` throws, closes the added parts. */
export function openWithCleanup<Opened>(open: (stack: CloseStack) => Opened): Opened {
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
 * Runs `work`, then closes what it registered, one after the other in reverse order, all of them. Throws the first
 * error: that of `work`, otherwise the first of a close.
 */
export async function withCleanup<Result>(
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
