import { describe, expect, test } from 'vitest'
import { withCleanup, openWithCleanup, type CloseStack } from '../../../src/platform/close-stack.js'

describe('closing after the work', () => {
  test('goes in the opposite order, each after the one before has ended', async () => {
    const order: string[] = []
    const slow = (name: string) => async () => {
      order.push(`${name} begins`)
      await new Promise(setImmediate)
      order.push(`${name} ends`)
    }
    const result = await withCleanup((closeLater) => {
      closeLater(slow('first'))
      closeLater(slow('second'))
      order.push('work')
      return Promise.resolve('done')
    })
    expect(result).toBe('done')
    expect(order).toEqual(['work', 'second begins', 'second ends', 'first begins', 'first ends'])
  })

  test('closes only what was opened, where the work throws in between', async () => {
    const closed: string[] = []
    const failed = withCleanup((closeLater) => {
      closeLater(() => {
        closed.push('first')
      })
      return Promise.reject(new Error('the second did not open'))
    })
    await expect(failed).rejects.toThrow('the second did not open')
    expect(closed).toEqual(['first'])
  })

  test.each([
    { thrown: 'of the work', work: 'work', second: 'second', first: 'first', kept: 'work' },
    { thrown: 'of the close that came first', work: null, second: 'second', first: 'first', kept: 'second' },
    { thrown: 'of the last close', work: null, second: null, first: 'first', kept: 'first' },
  ])('the first error is kept: $thrown; every close is tried', async ({ work, second, first, kept }) => {
    const tried: string[] = []
    const close = (name: string, message: string | null) => () => {
      tried.push(name)
      if (message !== null) throw new Error(message)
    }
    const failed = withCleanup(async (closeLater) => {
      closeLater(close('first', first))
      closeLater(close('second', second))
      await Promise.resolve()
      if (work !== null) throw new Error(work)
    })
    await expect(failed).rejects.toThrow(new Error(kept))
    expect(tried).toEqual(['second', 'first'])
  })

  test('an error that is undefined is an error too', async () => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    const failed = withCleanup(() => Promise.reject(undefined))
    await expect(failed).rejects.toBeUndefined()
  })
})

describe('opening something made of several', () => {
  const openTwo = (stack: CloseStack, order: string[], closeSecond: () => void) => {
    stack.add(() => order.push('first'))
    stack.add(() => {
      order.push('second')
      closeSecond()
    })
    return { close: stack.close }
  }

  test('what is opened closes all of it in the opposite order, once', () => {
    const order: string[] = []
    const opened = openWithCleanup((stack) => openTwo(stack, order, () => undefined))
    expect(order).toEqual([])
    opened.close()
    opened.close()
    expect(order).toEqual(['second', 'first'])
  })

  test('a close that throws keeps none of the others from being tried', () => {
    const order: string[] = []
    const opened = openWithCleanup((stack) =>
      openTwo(stack, order, () => {
        throw new Error('not closed')
      }),
    )
    expect(opened.close).toThrow('not closed')
    expect(order).toEqual(['second', 'first'])
  })

  test('where the opening throws, what is open is closed, and that error is the one', () => {
    const order: string[] = []
    const open = () =>
      openWithCleanup((stack) => {
        openTwo(stack, order, () => {
          throw new Error('not closed')
        })
        throw new Error('not opened')
      })
    expect(open).toThrow('not opened')
    expect(order).toEqual(['second', 'first'])
  })
})
