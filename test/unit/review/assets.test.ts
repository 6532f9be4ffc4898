import { describe, expect, test } from 'vitest'
import { pagePaths, readPageAssets } from '../../../src/review/page/assets.js'
import { readStylesheets } from '../../../src/web/html.js'

const { pageHtml, pageCss, scripts } = readPageAssets()

describe('what the review page is made of', () => {
  test('its script is whole: it loads no other', () => {
    expect([...scripts.keys()]).toEqual(['review/page/browser/main.js'])
    for (const [name, text] of scripts)
      expect(text, name).not.toMatch(/^import\b|^export .* from\b|\bimport\(/m)
  })

  test('the page names its scripts and its style, and holds neither', () => {
    const sources = [...pageHtml.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '')
    const known = [pagePaths.style, ...[...scripts.keys()].map((name) => `${pagePaths.scripts}${name}`)]
    expect(sources.filter((address) => address !== 'data:,' && !known.includes(address))).toEqual([])
    expect(pageHtml).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|<script[^>]*>[^<]/)
  })

  test('no script makes code or markup of text', () => {
    const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc/
    for (const [name, text] of scripts) expect(text, name).not.toMatch(forbidden)
  })

  test('its style is that of all pages and its own, and fetches nothing', () => {
    expect(pageCss.startsWith(readStylesheets('web/base'))).toBe(true)
    expect(pageCss).toContain('.card-head')
    expect(pageCss).not.toMatch(/@import|url\(/)
  })
})
