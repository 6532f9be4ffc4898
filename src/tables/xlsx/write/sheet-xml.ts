/** What XML cannot hold, or Excel would read as an escape; it unescapes `_x000D_` itself. */
const unsafe =
  // eslint-disable-next-line no-control-regex
  /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g

// eslint-disable-next-line no-control-regex
const mayBeUnsafe = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800-\udfff]|_x/

/** A text inside a tag. Halves of a character that lack the other one become U+FFFD. */
export function escapedText(text: string): string {
  return mayBeUnsafe.test(text) ? text.replace(unsafe, escaped) : text
}

function escaped(found: string): string {
  switch (found) {
    case '&':
      return '&amp;'
    case '<':
      return '&lt;'
    case '>':
      return '&gt;'
    default:
  }
  if (found.length === 2) return found
  const code = found.charCodeAt(0)
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`
}

/** A value between quotes of an attribute. */
export function attributeText(text: string): string {
  return escapedText(text).replace(/["\t\n]/g, (found) => `&#${found.charCodeAt(0)};`)
}

/** White space at the ends is kept only where it is asked for. */
export function textTag(text: string): string {
  const keep = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : ''
  return `<t${keep}>${escapedText(text)}</t>`
}

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
export const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
export const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'

/** A list of what a part refers to. `target` is a part, or an address outside. */
export function relationsXml(
  relations: readonly { readonly type: string; readonly target: string; readonly isExternal?: boolean }[],
): string {
  const items = relations.map(
    ({ type, target, isExternal }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${officeNamespace}/${type}" Target="${attributeText(target)}"${isExternal === true ? ' TargetMode="External"' : ''}/>`,
  )
  return `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">${items.join('')}</Relationships>`
}
