import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))

/** Matches any text in place of an expression that is known only in a run. */
const any = '[^]*'

/** For each error code, patterns of the messages that the code gives with it, if they are written next to it. */
export function readMessagePatterns(): ReadonlyMap<string, readonly RegExp[]> {
  const patterns = new Map<string, RegExp[]>()
  const add = (code: ts.Expression | undefined, message: ts.Expression | undefined) => {
    if (code === undefined || message === undefined || !ts.isStringLiteral(code)) return
    if (!/^[A-Z]+(?:_[A-Z]+)+$/.test(code.text)) return
    const found = listTexts(message).filter((text) => text !== any)
    if (found.length === 0) return
    const known = patterns.get(code.text) ?? []
    patterns.set(code.text, [...known, ...found.map((text) => new RegExp(`^${text}$`))])
  }
  for (const path of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
        const list = node.arguments ?? []
        list.forEach((argument, at) => {
          add(argument, list[at + 1])
        })
      }
      if (ts.isObjectLiteralExpression(node)) add(findValue(node, 'code'), findValue(node, 'message'))
      ts.forEachChild(node, visit)
    }
    const text = readFileSync(src + path, 'utf8')
    if (/'[A-Z]+_[A-Z_]+'/.test(text)) visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  }
  return patterns
}

function findValue(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const found = node.properties.find(
    (property) => ts.isPropertyAssignment(property) && property.name.getText() === name,
  )
  return found !== undefined && ts.isPropertyAssignment(found) ? found.initializer : undefined
}

const escapeText = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Returns the texts that an expression may have, as patterns. */
function listTexts(node: ts.Expression): string[] {
  if (ts.isParenthesizedExpression(node)) return listTexts(node.expression)
  if (ts.isStringLiteralLike(node)) return [escapeText(node.text)]
  if (ts.isConditionalExpression(node)) return [...listTexts(node.whenTrue), ...listTexts(node.whenFalse)]
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ literal }) => any + escapeText(literal.text))
    return [escapeText(node.head.text) + spans.join('')]
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const rights = listTexts(node.right)
    return listTexts(node.left).flatMap((left) => rights.map((right) => left + right))
  }
  return [any]
}
