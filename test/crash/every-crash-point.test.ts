import { beforeAll, describe, expect, test } from 'vitest'
import { dieEverywhere, firstStep, quarters, uninterrupted, type Whole } from './every-step.js'

describe('a process that dies at any step, and the next one', () => {
  let whole: Whole
  beforeAll(async () => {
    whole = await uninterrupted('out.csv')
  })

  test('the steps are every change of the checkpoint, every exchange and every change of a file', () => {
    const kinds = new Set(whole.life.steps.map((step) => step.replace(/^(before|after) /, '')))
    for (const kind of 'register plan intend exchange accept withdraw reject answer endJob'.split(' '))
      expect(kinds).toContain(kind)
    const file = '.out.csv.tmp'
    const basis = '.out.csv.basis.csv.tmp'
    const publishing = ['open', 'writeFile', 'close', 'fsyncSync', 'renameSync']
    for (const kind of publishing.flatMap((name) => [`${name} ${file}`, `${name} ${basis}`]))
      expect(kinds).toContain(kind)
    expect(kinds).toContain('fsyncSync work')
    const order = whole.life.steps.filter(
      (step) => !step.includes('.enrich') && /^after (fsync|rename)/.test(step),
    )
    expect(order).toEqual([
      `after fsyncSync ${basis}`,
      `after renameSync ${basis}`,
      'after fsyncSync work',
      `after fsyncSync ${file}`,
      `after renameSync ${file}`,
      'after fsyncSync work',
    ])
  })

  const seen: string[] = []
  test.each(quarters)(
    'each lookup is billed once, whoever may be billed already is held, and every other byte is the same; quarter %d',
    async (quarter) => {
      seen.push(...(await dieEverywhere('out.csv', whole, 'hold', firstStep, quarter)))
    },
  )

  test('has died after every step that another process sees', () => {
    const after = whole.life.steps.filter((step) => /^after (?!fsync|close)/.test(step))
    expect(seen).toEqual(expect.arrayContaining(after))
  })
})
