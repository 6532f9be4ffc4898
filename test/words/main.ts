/**
 * `npm run words`: checks the wording of comments, messages, names and documents, as CONTRIBUTING.md describes it. Prints
 * one line per finding and ends with 1 if there is any. `npm run words -- --pages` prints the words of prose by page instead.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { formatWordTable, readDocuments } from './prose.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Words and phrases with a plainer or more common alternative. */
const phrases: Readonly<Record<string, string>> = {
  'besides?': 'in addition to, next to',
  anew: 'again',
  '(?:no|some|any)body|whoever': 'name the person, process or caller',
  '(?:is|are|was|were|be|been) told': 'is reported, is printed',
  '(?:go|goes|going|went|gone) on': 'continue',
  '(?:is|are) none': 'is not a …',
  'so many': 'a number',
  'in vain': 'without a result',
  'mend(?:s|ed|ing)?': 'fix, repair, correct',
  'for good': 'permanently',
  'by turns': 'alternately',
  'stands? (?:in|beside|there|behind)': 'is in, is next to',
  'as it (?:was|is|stands)': 'unchanged',
  'the like': 'name the things',
  'comes? (?:to it|of it)': 'results in',
  'but for': 'except',
  'looks? after': 'monitor, poll',
  '(?:bear|bears|bore)': 'has, contains',
  'what (?:is|was) (?:wanted|asked|left|known|held|due)': 'name the thing',
}
const patterns = Object.keys(phrases).map((phrase) => ({
  phrase,
  pattern: new RegExp(`\\b${phrase}\\b`, 'i'),
}))

const opening = /^(?:What|Whatever|Who|Whose|Whoever|Those|Of|By|Which|Where it|None|Nobody|So|Such)\b/
/** A function is named by a verb phrase. */
const nameRules = [
  {
    pattern: /^[a-z]+ing(?=[A-Z]|$)/,
    except: /^(?:string|ring|ping|thing|spring)/,
    why: 'starts with a gerund',
  },
  { pattern: /[a-z0-9]Of$/, except: /^(?:valuesOf|indexOf)$/, why: 'ends in Of' },
]

/** Texts that are data: stored answers, values of the interface, lists of words and sample code. */
const dataFiles = [
  'src/pipeline/checkpoint/packed-answer.ts',
  'src/pipeline/checkpoint/sqlite/rebuild.ts',
  'src/pipeline/decisions/review-tables.ts',
  'src/registry/match/word-classes.ts',
  'src/service/docs/samples.ts',
  'src/service/records/hierarchy.ts',
]
/** Longest line of a document, in characters; a sample line of CSV is longer. */
const documentLineMax = 310

const findings: string[] = []
const report = (path: string, line: number, why: string, text: string) =>
  findings.push(`${relative(root, path)}:${line}  ${why}: ${text.replace(/\s+/g, ' ').slice(0, 100)}`)

/** Code in backquotes is no prose. */
const withoutCode = (text: string): string => text.replace(/`[^`]*`/g, '``')

function checkProse(path: string, line: number, text: string): void {
  for (const { phrase, pattern } of patterns) {
    const found = pattern.exec(withoutCode(text))
    if (found !== null) report(path, line, `"${found[0]}": write ${phrases[phrase] ?? ''}`, text)
  }
}

function checkSource(path: string): void {
  const text = readFileSync(path, 'utf8')
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
  const isData = dataFiles.includes(relative(root, path))
  const seen = new Set<number>()
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (seen.has(pos)) continue
      seen.add(pos)
      const comment = text
        .slice(pos, end)
        .replace(/^\/[/*]+|\*\/$|^\s*\*/gm, '')
        .trim()
      if (opening.test(comment)) report(path, lineOf(pos), 'a comment opens with a clause', comment)
      checkProse(path, lineOf(pos), comment)
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const literal = node.getText()
      const isSql = /\b(?:SELECT|INSERT|UPDATE|CREATE|DELETE)\b/.test(literal)
      if (!isData && !isSql && literal.split(' ').length >= 4)
        checkProse(path, lineOf(node.pos), literal.slice(1, -1))
    }
    const name = nameOfFunction(node)
    if (name !== null)
      for (const { pattern, except, why } of nameRules)
        if (pattern.test(name) && !except.test(name)) report(path, lineOf(node.getStart()), why, name)
    ts.forEachChild(node, visit)
  }
  visit(source)
}

function nameOfFunction(node: ts.Node): string | null {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    return node.name?.getText().replace(/^#/, '') ?? null
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined)
    return null
  return ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer)
    ? node.name.text
    : null
}

function checkDocument(path: string): void {
  let isCode = false
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (line.trimStart().startsWith('```')) isCode = !isCode
    if (isCode) continue
    if (line.length > documentLineMax && !line.startsWith('|'))
      report(path, index + 1, `longer than ${documentLineMax} characters`, line)
    checkProse(path, index + 1, line)
  }
}

const listFiles = (folder: string, extension: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension))
    .map((path) => join(root, folder, path))

if (process.argv.includes('--pages')) process.stdout.write(formatWordTable(readDocuments()))
else checkAll()

function checkAll(): void {
  for (const path of listFiles('src', '.ts')) checkSource(path)
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((name) =>
    join(root, name),
  )
  for (const path of [...listFiles('docs', '.md'), ...pages]) checkDocument(path)
  for (const finding of findings) process.stdout.write(`${finding}\n`)
  if (findings.length > 0) process.exitCode = 1
}
