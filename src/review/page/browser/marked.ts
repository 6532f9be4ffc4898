import type { Mark } from '../../page-data.js'
import { element, foreign, shown } from './element.js'

/** A text with what differs marked; where nothing was compared, as it is. */
export function marked(text: string, marks: readonly Mark[]): HTMLElement {
  if (marks.length === 0) return foreign(text)
  return element('bdi', {}, ...marks.map(markNode))
}

const markNode = ({ text, isShared }: Mark): Node =>
  isShared || text.trim() === '' ? document.createTextNode(shown(text)) : element('mark', {}, shown(text))
