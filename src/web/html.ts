import { isLeftToRight, printable } from '../core/text.js'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { codeFolder } from '../platform/native-package.js'

/** Text that is already HTML. Only this file creates it, so no other text is inserted unescaped. */
class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}
export type { Html }

/** A value that can be inserted into a template; `null` inserts nothing. */
export type HtmlPart = Html | string | number | null | readonly HtmlPart[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * The door to HTML: builds it from a template. Inserted text is escaped for content and quoted attributes, and control
 * or direction-changing characters are replaced with escapes (`printable`). Only `Html` values are inserted unchanged.
 *
 * ```ts
 * const row = html`<tr><td>${isolateText(name)}</td></tr>`
 * const page = renderPage({ title: 'Rows', head: null, body: html`<body><table>${[row]}</table></body>` })
 * ```
 */
export function html(words: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = words[0] ?? ''
  for (const [index, part] of parts.entries()) text += toHtmlText(part) + (words[index + 1] ?? '')
  return new Html(text)
}

function toHtmlText(part: HtmlPart): string {
  if (part === null) return ''
  if (part instanceof Html) return part.toString()
  if (typeof part === 'number') return String(part)
  if (typeof part === 'string') return escape(part)
  return part.map(toHtmlText).join('')
}

const escape = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)

export const joinHtml = (parts: readonly HtmlPart[], separator: HtmlPart): HtmlPart =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))

/** On a narrow screen each row becomes a block without `head`. */
export const renderTable = (
  head: readonly string[],
  rows: readonly (readonly HtmlPart[])[],
  kind = 'fields',
): Html =>
  html`<table class="${kind}">
    <thead>
      <tr>
        ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`

/** Default length limit of text from files and servers. */
const foreignCharsMax = 160
/** More combining marks than this on one letter would cover the lines around it. */
const marksInARow = /(\p{M}{4})\p{M}+/gu

/**
 * Renders a text of a file or server: shortened, and isolated so that its direction does not affect other text. An English
 * sentence that begins with an Arabic name reads from left to right.
 */
export function isolateText(text: string, charsMax = foreignCharsMax): Html {
  const shown = cut(text, charsMax)
  return isLeftToRight(shown) ? html`<bdi dir="ltr">${shown}</bdi>` : html`<bdi>${shown}</bdi>`
}

export function cut(text: string, charsMax = foreignCharsMax): string {
  const shown = text.slice(0, charsMax * 4).replace(marksInARow, '$1')
  if (shown.length <= charsMax && text.length <= charsMax * 4) return shown
  return `${shown.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A style element whose hash is `getStyleSource`. Not escaped: only for results of `stylesheet`. */
export const renderStyle = (css: string): Html => new Html(`<style>${css}</style>`)

/** Loads a script. The build would break a tagged template that has an end tag of a script. */
export const renderScript = (address: string, loading: 'type="module"' | 'defer'): Html =>
  new Html(`<script ${loading} src="${escape(address)}"></script>`)

/** A link if the text is a web address, else plain text. */
export function renderSource(source: string): Html {
  const address = parseWebAddress(source)
  const shown = cutMiddle(source.replace(/^https?:\/\/(?:www\.)?/i, ''))
  return address === null
    ? isolateText(source)
    : html`<a href="${address}" rel="noreferrer"><bdi>${shown}</bdi></a>`
}

const addressCharsMax = 2_000
const shownHeadMax = 40
const shownTailMax = 80

/** Keeps the end: addresses of one site differ there. */
const cutMiddle = (text: string): string =>
  text.length <= shownHeadMax + shownTailMax
    ? text
    : `${cut(text, shownHeadMax)}${text
        .slice(-shownTailMax)
        .replace(/^[\udc00-\udfff]/, '')
        .replace(marksInARow, '$1')}`

function parseWebAddress(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || text.length > addressCharsMax || !URL.canParse(text)) return null
  const { protocol, href, username, password } = new URL(text)
  const isOfTheWeb = protocol === 'http:' || protocol === 'https:'
  return isOfTheWeb && username === '' && password === '' ? href : null
}

export interface PageOptions {
  readonly title: string
  /** Style, scripts, and other elements of the head. */
  readonly head: HtmlPart
  /** The `body` element. */
  readonly body: HtmlPart
}

/** A complete page. Its links send no referrer. */
export const renderPage = ({ title, head, body }: PageOptions): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="referrer" content="no-referrer" />
          <title>${title}</title>
          ${head}
        </head>
        ${body}
      </html> `,
  )

const texts = new Map<string, string>()

/** Joins CSS files. Names are paths in `src` without `.css`; the build copies the files to `dist`. */
export const readStylesheets = (...names: readonly string[]): string => names.map(readOnce).join('')

function readOnce(name: string): string {
  const text = texts.get(name) ?? readFileSync(new URL(`${name}.css`, codeFolder), 'utf8')
  texts.set(name, text)
  return text
}

/** The content security policy source that permits a style element. */
export const getStyleSource = (css: string): string =>
  `'sha256-${createHash('sha256').update(css).digest('base64')}'`
