import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Asks a page in its own words: it runs in the browser, whose types the project does not have. */
const ask = <Answer>(page: Page, script: string) => page.evaluate<Answer>(`(() => { ${script} })()`)

export const openAllDetails = (page: Page) =>
  ask<null>(page, `for (const part of document.querySelectorAll('details')) part.open = true; return null`)

export interface TooWide {
  /** Pixels that the page can be scrolled sideways. */
  readonly page: number
  /** Elements that stand out to the right; blocks of code and tables in boxes scroll by themselves. */
  readonly parts: readonly string[]
}

export const findTooWide = (page: Page) =>
  ask<TooWide>(
    page,
    `const limit = document.documentElement.clientWidth
    const parts = [...document.querySelectorAll('body *')]
      .filter((element) => element.closest('pre code, .scroll > *') === null)
      .filter((element) => element.getBoundingClientRect().right > limit + 0.5)
    return {
      page: document.documentElement.scrollWidth - limit,
      parts: parts.map(({ outerHTML }) => outerHTML.slice(0, 120)),
    }`,
  )

/** Boxes, and the page, that can be scrolled further down than to the end of what is seen in them. */
export const findBlankScrolls = (page: Page) =>
  ask<string[]>(
    page,
    `const slackPx = 64
    const isSeen = (element) => {
      const { width, height } = element.getBoundingClientRect()
      return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true })
    }
    const scrollable = [document.documentElement, ...document.querySelectorAll('body *')].filter((box) =>
      box === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(box).overflowY))
    return scrollable
      .filter((box) => box.scrollHeight > box.clientHeight + 1)
      .flatMap((box) => {
        const top = box === document.documentElement ? -scrollY : box.getBoundingClientRect().top - box.scrollTop
        const inOtherBox = (element) => scrollable.some((other) => other !== box && box.contains(other) && other !== element && other.contains(element))
        const ends = [...box.querySelectorAll('*')].filter((element) => isSeen(element) && !inOtherBox(element))
          .map((element) => element.getBoundingClientRect().bottom - top)
        const blank = box.scrollHeight - Math.max(box.clientHeight, ...ends)
        return blank > slackPx ? [(box.id || box.className || box.tagName) + ': ' + Math.round(blank) + ' px'] : []
      })`,
  )

/** Controls over the text of other elements, with the text that they cover. */
export const findCoveredText = (page: Page) =>
  ask<string[]>(
    page,
    `const clip = (rect, element) => {
      let { left, top, right, bottom } = rect
      for (let box = element; box !== null && box !== document.body; box = box.parentElement) {
        if (getComputedStyle(box).overflow === 'visible') continue
        const limit = box.getBoundingClientRect()
        left = Math.max(left, limit.left); top = Math.max(top, limit.top)
        right = Math.min(right, limit.right); bottom = Math.min(bottom, limit.bottom)
      }
      return { left, top, right, bottom }
    }
    const controls = [...document.querySelectorAll('button, input, select, textarea')]
      .filter((control) => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((control) => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1)
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const covered = []
    while (texts.nextNode()) {
      const { currentNode } = texts
      const parent = currentNode.parentElement
      if (currentNode.textContent.trim() === '' || !parent.checkVisibility({ visibilityProperty: true })) continue
      const range = document.createRange()
      range.selectNodeContents(currentNode)
      for (const whole of range.getClientRects()) {
        if (whole.width <= 1 || !controls.some(({ box }) => box.left < whole.right && box.right > whole.left && box.top < whole.bottom && box.bottom > whole.top)) continue
        const rect = clip(whole, parent)
        for (const { control, box } of controls) {
          const width = Math.min(box.right, rect.right) - Math.max(box.left, rect.left)
          const height = Math.min(box.bottom, rect.bottom) - Math.max(box.top, rect.top)
          const isOwn = [control, ...(control.labels ?? [])].some((own) => own.contains(currentNode))
          const isBehind = control.closest('dialog') !== parent.closest('dialog')
          if (width > 1 && height > 3 && !isOwn && !isBehind)
            covered.push(control.textContent.trim().slice(0, 30) + ' over ' + currentNode.textContent.trim().slice(0, 60))
        }
      }
    }
    return [...new Set(covered)]`,
  )

/** Figures of tiles that are broken across lines. */
export const findBrokenFigures = (page: Page) =>
  ask<string[]>(
    page,
    `return [...document.querySelectorAll('.tiles dd')]
      .filter((figure) => {
        const range = document.createRange()
        range.selectNodeContents(figure)
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
      })
      .map(({ textContent }) => textContent)`,
  )

/** Words of at most 20 letters that are broken across lines, outside links and code. */
export const findBrokenWords = (page: Page) =>
  ask<string[]>(
    page,
    `const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const broken = []
    while (texts.nextNode()) {
      const { currentNode } = texts
      const parent = currentNode.parentElement
      if (parent.closest('a, code, svg') !== null || !parent.checkVisibility({ visibilityProperty: true })) continue
      for (const { 0: word, index } of currentNode.textContent.matchAll(/[\\p{L}\\p{N}]{2,20}/gu)) {
        const range = document.createRange()
        range.setStart(currentNode, index)
        range.setEnd(currentNode, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
      }
    }
    return broken`,
  )

export interface Links {
  readonly navCount: number
  readonly innerCount: number
  /** Links of the contents that lead to no heading. */
  readonly lost: readonly string[]
  /** Links within the page that lead nowhere. */
  readonly broken: readonly string[]
  /** Ids that more than one element has. */
  readonly repeated: readonly string[]
}

export const followLinks = (page: Page) =>
  ask<Links>(
    page,
    `const targetOf = (link) => document.getElementById(decodeURIComponent(link.getAttribute('href').slice(1)))
    const nav = [...document.querySelectorAll('nav a[href^="#"]')]
    const inner = [...document.querySelectorAll('main a[href^="#"]')]
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    const text = ({ outerHTML }) => outerHTML
    return {
      navCount: nav.length,
      innerCount: inner.length,
      lost: nav.filter((link) => !/^H[23]$/.test(targetOf(link)?.tagName ?? '')).map(text),
      broken: inner.filter((link) => targetOf(link) === null).map(text),
      repeated: ids.filter((id, index) => ids.indexOf(id) !== index),
    }`,
  )

export const topOf = (page: Page, id: string) =>
  ask<number>(page, `return document.getElementById(${JSON.stringify(id)}).getBoundingClientRect().top`)

/** Puts a script and a picture into the page, as somebody would who found a way in; gives the title after. */
export const breakIn = (page: Page) =>
  ask<string>(
    page,
    `const script = document.createElement('script')
    script.textContent = 'document.title = "a script has run"'
    const picture = document.createElement('img')
    picture.src = '/metrics'
    document.body.append(script, picture)
    return document.title`,
  )

/** Boxes of which a part is not to be seen without scrolling. */
export const findCutBoxes = (page: Page) =>
  ask<string[]>(
    page,
    `return [...document.querySelectorAll('.scroll')]
      .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1)
      .map(({ id }) => id)`,
  )

/** What is there to be reached by keyboard, in the order of the page. */
const reachable = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0)`

export const countReachable = (page: Page) => ask<number>(page, `return ${reachable}.length`)

/** Which of them has the focus, from 0; -1: none. */
export const focusedIndex = (page: Page) =>
  ask<number>(page, `return ${reachable}.indexOf(document.activeElement)`)

/** Whatever could run, load or send something. */
export const findActive = (page: Page) =>
  ask<string[]>(
    page,
    `const active = 'script, img, iframe, object, embed, form, base, link:not([rel=icon]), meta[http-equiv=refresh]'
    const handlers = [...document.querySelectorAll('*')].filter((element) =>
      [...element.attributes].some(({ name }) => name.startsWith('on') || name === 'style' || name === 'src'))
    const links = [...document.querySelectorAll('a')].filter((link) => !/^(#|https?:)/.test(link.getAttribute('href')))
    return [...document.querySelectorAll(active), ...handlers, ...links].map(({ outerHTML }) => outerHTML.slice(0, 120))`,
  )

/** Serious and critical findings of axe, each with what it is about. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<readonly Finding[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, nodes }) =>
      ({ id, impact, html: nodes.map(({ html }) => html.slice(0, 160)) })))`,
  )
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, html }) => `${id}: ${html.join(' ')}`)
}

interface Finding {
  readonly id: string
  readonly impact: string
  readonly html: readonly string[]
}
