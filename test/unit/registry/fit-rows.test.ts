import { describe, expect, it } from 'vitest'
import { indexFitCompanies, type FitCompany } from '../../../bench/fit-companies.js'
import type { FitQuery } from '../../../bench/fit-data.js'
import { planFolds } from '../../../bench/fit-folds.js'
import { removeCompany } from '../../../bench/fit-lists.js'
import { fitLogistic, scaleColumns, SparseBuilder } from '../../../bench/fit-logistic.js'
import { noiseOperations } from '../../../bench/fit-noise.js'
import { generateFitRows } from '../../../bench/fit-rows.js'
import { createSeededFractions } from '../../../src/platform/clock.js'

const letters = 'bcdfglmnprstv'
const vowels = 'aeiou'

/** Companies with made-up names of one to three words, some of them namesakes. */
function makeCompanies(count: number): FitCompany[] {
  const fraction = createSeededFractions(5)
  const one = (from: string) => from.charAt(Math.floor(fraction() * from.length))
  const word = () => {
    const text = Array.from({ length: 3 }, () => one(letters) + one(vowels)).join('')
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
  const forms = ['Inc.', 'Ltd', 'GmbH', 'S.p.A.', 'AG']
  const countries = ['US', 'GB', 'DE', 'IT', 'CH']
  return Array.from({ length: count }, (_, at) => {
    const place = Math.floor(fraction() * forms.length)
    const words = Array.from({ length: 1 + Math.floor(fraction() * 3) }, word)
    const legalName = [...(at % 10 === 0 ? ['Bardo'] : words), forms[place] ?? ''].join(' ')
    return {
      id: `siq_${at}`,
      ids: [`siq_${at}`, `cik:${at + 1}`],
      names: [legalName],
      legalName,
      city: word(),
      region: '',
      postcode: String(10_000 + at),
      country: countries[place] ?? '',
      ticker: at % 7 === 0 ? `T${at}` : '',
    }
  })
}

const index = indexFitCompanies(makeCompanies(400))
const rows = generateFitRows(index, 3, 0.1)

describe('rows of the fit', () => {
  it('One seed makes the same rows', () => {
    expect(generateFitRows(index, 3, 0.1)).toEqual(rows)
    expect(generateFitRows(index, 4, 0.1)).not.toEqual(rows)
  })

  it('No name of a made-up company is registered', () => {
    const madeUp = rows.filter(({ set }) => ['near', 'changed', 'sibling'].includes(set))
    expect(madeUp.length).toBeGreaterThan(50)
    expect(madeUp.filter(({ name }) => index.isName(name))).toEqual([])
  })

  it('A removed company is removed with its namesakes', () => {
    const query: FitQuery = {
      ...{ set: 'dev', kind: 'any', name: 'Bardo', city: '', region: '', postcode: '', country: '' },
      ...{
        isAbsent: false,
        expected: new Set(['cik:1']),
        leftOut: new Set<string>(),
        weight: 1,
        operations: [],
      },
    }
    const removed = removeCompany(query, index, 1)
    expect(removed?.isAbsent).toBe(true)
    expect(removed?.leftOut).toContain('siq_0')
    expect(removed?.leftOut).toContain('cik:11')
    expect(removed?.leftOut).not.toContain('siq_1')
    expect(removeCompany({ ...query, expected: new Set(['cik:9999']) }, index, 1)).toBeNull()
  })

  it('Every operation changes a name that it applies to', () => {
    const fraction = createSeededFractions(1)
    const company = { ...(index.companies[0] as FitCompany), ticker: 'ABC', region: 'NY', country: 'US' }
    const words = 'Second Müller & Søn Energy Holdings Inc.'.split(' ')
    for (const [name, operation] of Object.entries(noiseOperations)) {
      const made = Array.from({ length: 40 }, () => operation(words, { fraction, company, index }))
      const changed = made.filter((one) => one !== null).map((one) => one.join(' '))
      expect(changed.length, name).toBeGreaterThan(0)
      expect(changed, name).not.toContain(words.join(' '))
    }
  })

  it('A fold holds out each row of its kind and of its operation', () => {
    const plan = planFolds(rows, 5)
    const noisy = [...rows.keys()].filter((at) => (rows[at]?.operations.length ?? 0) > 0)
    expect(noisy.length).toBeGreaterThan(100)
    for (const at of noisy)
      for (const operation of rows[at]?.operations ?? [])
        expect(plan.folds[at]).toContain(plan.operationFolds.get(operation))
  })
})

describe('fit of log odds', () => {
  const fraction = createSeededFractions(9)
  const truth = [2, -1.5, 0]
  const build = () => {
    const builder = new SparseBuilder(3)
    const labels = new Uint8Array(6000)
    for (let row = 0; row < labels.length; row++) {
      const values = [Number(fraction() < 0.3), 4 * fraction(), Number(fraction() < 0.5)]
      const score = values.reduce((sum, value, at) => sum + value * (truth[at] ?? 0), 1)
      labels[row] = Number(fraction() < 1 / (1 + Math.exp(-score)))
      builder.add(values)
    }
    return { rows: builder.finish(), labels, weights: new Float32Array(labels.length).fill(1) }
  }
  const free = () => Float64Array.of(Number.NaN, Number.NaN, Number.NaN)

  it('The weights that made the labels are found', () => {
    const { rows, labels, weights } = build()
    const scales = scaleColumns(rows)
    const fitted = fitLogistic(rows, labels, weights, { ridge: 0.01, signs: new Int8Array(3), fixed: free() })
    for (const [at, weight] of truth.entries())
      expect(Math.abs((fitted[at] ?? 0) / (scales[at] ?? 1) - weight), String(at)).toBeLessThan(0.2)
    expect(Math.abs((fitted[3] ?? 0) - 1)).toBeLessThan(0.3)
  })

  it('A weight keeps its sign or its fixed value, and the others are fitted around it', () => {
    const { rows, labels, weights } = build()
    scaleColumns(rows)
    const fixed = free()
    fixed[0] = 0.7
    const fitted = fitLogistic(rows, labels, weights, { ridge: 0.01, signs: Int8Array.of(0, 1, 0), fixed })
    expect([...fitted.subarray(0, 2)]).toEqual([0.7, 0])
  })

  it('A row of weight 0 has no influence', () => {
    const { rows, labels, weights } = build()
    const settings = { ridge: 0.01, signs: new Int8Array(3), fixed: free() }
    weights.fill(0, 0, 3000)
    const fitted = fitLogistic(rows, labels, weights, settings)
    expect(
      fitLogistic(
        rows,
        labels.map((label, at) => (at < 3000 ? 1 - label : label)),
        weights,
        settings,
      ),
    ).toEqual(fitted)
  })
})
