import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { codeFolder } from '../platform/package-folder.js'

const texts = new Map<string, string>()

/** The text of CSS files, one after the other, by their paths in `src` without `.css`; the build copies them to `dist`. */
export const stylesheet = (...names: readonly string[]): string => names.map(readOnce).join('')

function readOnce(name: string): string {
  const text = texts.get(name) ?? readFileSync(new URL(`${name}.css`, codeFolder), 'utf8')
  texts.set(name, text)
  return text
}

/** The source that permits a style within a page, for a content security policy. */
export const styleSource = (css: string): string =>
  `'sha256-${createHash('sha256').update(css).digest('base64')}'`
