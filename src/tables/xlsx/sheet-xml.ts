import { xlsxLimits } from '../limits.js'
import type { NumberFormat } from './cells.js'

/** Characters that XML cannot contain, and text that Excel would read as an escape such as `_x000D_`. */
const unsafe =
  // oxlint-disable-next-line no-control-regex
  /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g

// oxlint-disable-next-line no-control-regex
const mayBeUnsafe = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800-\udfff]|_x/

/** Escapes text for a tag. Lone surrogates become U+FFFD. */
export function escapeText(text: string): string {
  return mayBeUnsafe.test(text) ? text.replace(unsafe, escapeChar) : text
}

function escapeChar(found: string): string {
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

/** Escapes an attribute value. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replace(/["\t\n]/g, (found) => `&#${found.charCodeAt(0)};`)
}

/** Formats a text as an XML element. The attribute keeps leading and trailing white space. */
export function formatTextTag(text: string): string {
  const keep = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : ''
  return `<t${keep}>${escapeText(text)}</t>`
}

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
export const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
export const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'

/** Formats the relations of a part. `target` is a part or an external URL. */
export function formatRelations(
  relations: readonly { readonly type: string; readonly target: string; readonly isExternal?: boolean }[],
): string {
  const items = relations.map(
    ({ type, target, isExternal }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${officeNamespace}/${type}" Target="${escapeAttribute(target)}"${isExternal === true ? ' TargetMode="External"' : ''}/>`,
  )
  return `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">${items.join('')}</Relationships>`
}

/** Numbers of the styles that every written workbook has. */
export const ownStyles = { general: 0, text: 1, header: 2, link: 3 } as const

const textFormat = 49
/** First number of a custom format. */
const firstCustomFormat = 164

/** Number formats of a workbook, with their style numbers. */
export class StyleBook {
  private readonly styles = new Map<NumberFormat, number>([[0, ownStyles.general]])

  /** Returns the general style if there are too many formats. */
  getStyle(format: NumberFormat): number {
    const known = this.styles.get(format)
    if (known !== undefined) return known
    if (this.styles.size >= xlsxLimits.formatsMax) return ownStyles.general
    const style = Object.keys(ownStyles).length + this.styles.size - 1
    this.styles.set(format, style)
    return style
  }

  formatXml(): string {
    const codes = [...this.styles.keys()].filter((format) => typeof format === 'string')
    const formatIds = new Map(codes.map((code, index) => [code, firstCustomFormat + index]))
    const formats = [...formatIds].map(
      ([code, id]) => `<numFmt numFmtId="${id}" formatCode="${escapeAttribute(code)}"/>`,
    )
    const style = (format: number, font = 0) =>
      `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"${format === 0 ? '' : ' applyNumberFormat="1"'}${font === 0 ? '' : ' applyFont="1"'}/>`
    const own = [style(0), style(textFormat), style(textFormat, 1), style(textFormat, 2)]
    const others = [...this.styles.keys()]
      .filter((format) => format !== 0)
      .map((format) => style(typeof format === 'number' ? format : (formatIds.get(format) ?? 0)))
    const styles = [...own, ...others]
    const font = '<sz val="11"/>'
    const name = '<name val="Calibri"/><family val="2"/>'
    return (
      `${xmlDeclaration}<styleSheet xmlns="${mainNamespace}">` +
      (formats.length === 0 ? '' : `<numFmts count="${formats.length}">${formats.join('')}</numFmts>`) +
      `<fonts count="3"><font>${font}${name}</font><font><b/>${font}${name}</font>` +
      `<font><u/>${font}<color rgb="FF0563C1"/>${name}</font></fonts>` +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="${styles.length}">${styles.join('')}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    )
  }
}
