import type { Mark } from '../../page-data.js'
import { element, foreign } from './element.js'
import { shown } from './shown-text.js'

/** A text with what differs marked; where nothing was compared, as it is. */
export function marked(text: string, marks: readonly Mark[]): HTMLElement {
  if (marks.length === 0) return foreign(text)
  return element('bdi', {}, ...marks.map(markNode))
}

/** A text with what is the same brought out: for texts of which one says more than the other. */
export function agreeing(text: string, marks: readonly Mark[]): HTMLElement {
  if (marks.length === 0) return foreign(text)
  return element('bdi', {}, ...marks.map(agreeNode))
}

const agreeNode = ({ text, isShared }: Mark): Node =>
  isShared && /[\p{L}\p{N}]/u.test(text)
    ? element('b', {}, shown(text))
    : document.createTextNode(shown(text))

const markNode = ({ text, isShared }: Mark): Node =>
  isShared || text.trim() === '' ? document.createTextNode(shown(text)) : element('mark', {}, shown(text))
