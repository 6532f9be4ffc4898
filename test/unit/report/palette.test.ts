import { describe, expect, test } from 'vitest'
import { palette } from '../../../src/report/palette.js'
import { styleText } from '../../../src/report/style.js'

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

const pairs = Object.entries(palette).flatMap(([scheme, { grounds, texts, marks }]) =>
  Object.entries(grounds).flatMap(([ground, under]) => [
    ...Object.entries(texts).map(([name, color]) => ({ scheme, name, ground, color, under, least: 4.5 })),
    ...Object.entries(marks).map(([name, color]) => ({ scheme, name, ground, color, under, least: 3 })),
  ]),
)

describe('colours', () => {
  test('the measure is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
  })

  test.each(pairs)('$scheme: $name stands out $least to 1 from $ground', ({ color, under, least }) => {
    expect(contrast(color, under)).toBeGreaterThanOrEqual(least)
  })

  test('both schemes have the same names, and the style uses no colour but these', () => {
    const namesOf = (scheme: object) => Object.values(scheme).flatMap((part) => Object.keys(part as object))
    expect(namesOf(palette.dark)).toEqual(namesOf(palette.light))
    const known = [palette.light, palette.dark].flatMap(({ grounds, hairs, texts, marks }) =>
      Object.values<string>({ ...grounds, ...hairs, ...texts, ...marks }),
    )
    const used = String(styleText).match(/#[0-9a-f]{3,8}\b/g) ?? []
    expect(used.filter((color) => !known.includes(color))).toEqual([])
    const variables = String(styleText).match(/var\(--(\w+)\)/g) ?? []
    expect(variables.filter((name) => !namesOf(palette.light).includes(name.slice(6, -1)))).toEqual([])
  })

  test('nothing is fetched by the style', () => {
    expect(String(styleText)).not.toMatch(/@import|url\((?!#t-)/)
  })
})
