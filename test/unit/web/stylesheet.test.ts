import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readStylesheets } from '../../../src/web/html.js'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))
const sheets = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(`${src}${path}`, 'utf8') }))

/** Of WCAG 2: relative luminance of a colour of sRGB. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Colours of `:root` by their names, in the order of the file: those of the light scheme, then of the dark one. */
const schemesOf = (css: string): [light: Record<string, string>, dark: Record<string, string>] => {
  const [light = '', dark = ''] = css.split('@media screen and (prefers-color-scheme: dark)')
  const colorsIn = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/--(\w+): (#[0-9a-f]{6});/g)].map(
        ([, name = '', color = '']) => [name, color] as const,
      ),
    )
  return [colorsIn(light), colorsIn(dark)]
}

const grounds = ['ground', 'soft']
const texts = ['text', 'quiet', 'link', 'alarm']
const marks = ['line', 'matched', 'doubtful', 'none', 'open', 'failed']
const textsOfDocs = ['text', 'quiet', 'link', 'string', 'number']

const base = schemesOf(readStylesheets('web/base'))
const docs = schemesOf(readStylesheets('service/docs/docs'))

const pairs = ['light', 'dark'].flatMap((scheme, at) => {
  const pairsOf = (page: string, colors: Record<string, string>, names: readonly string[], least: number) =>
    grounds.flatMap((ground) =>
      names.map((name) => ({
        scheme,
        page,
        name,
        ground,
        least,
        color: colors[name] ?? '',
        under: colors[ground] ?? '',
      })),
    )
  return [
    ...pairsOf('all pages', base[at] ?? {}, texts, 4.5),
    ...pairsOf('all pages', base[at] ?? {}, marks, 3),
    ...pairsOf('docs', { ...base[at], ...docs[at] }, textsOfDocs, 4.5),
  ]
})

describe('colours', () => {
  test('the measure is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  })

  test.each(pairs)('$page, $scheme: $name stands out $least to 1 from $ground', ({ color, under, least }) => {
    expect([color, under]).toEqual([expect.stringMatching(/^#/), expect.stringMatching(/^#/)])
    expect(contrast(color, under)).toBeGreaterThanOrEqual(least)
  })

  test('both schemes have the same names', () => {
    for (const [light, dark] of [base, docs]) expect(Object.keys(dark)).toEqual(Object.keys(light))
    expect(Object.keys(base[0]).sort()).toEqual([...grounds, 'hair', ...texts, ...marks].sort())
  })

  // The pages of the Reconciliation Service API are light in every scheme.
  test.each(sheets.filter(({ path }) => path !== 'service/reconciliation/pages.css'))(
    '$path names colours by variables alone, and they are there',
    ({ text }) => {
      const rules = text.replaceAll(/--[\w-]+: [^;]+;/g, '').replaceAll(/\/\*[^]*?\*\//g, '')
      expect(rules.match(/#[0-9a-f]{3,8}\b/g) ?? []).toEqual([])
      const used = [...text.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name)
      const known = [...`${readStylesheets('web/base')}${text}`.matchAll(/--([\w-]+):/g)].map(
        ([, name]) => name,
      )
      expect(used.filter((name) => !known.includes(name))).toEqual([])
    },
  )
})

describe('styles', () => {
  test.each(sheets)('$path fetches nothing', ({ text }) => {
    expect(text).not.toMatch(/@import|url\((?!#t-)/)
  })

  test('there are at most 2,500 lines of them, and 350 in a file', () => {
    const lengths = sheets.map(({ text }) => text.trimEnd().split('\n').length)
    expect(lengths.filter((length) => length > 350)).toEqual([])
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(2_500)
  })
})
