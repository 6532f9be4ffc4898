import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The most words of prose: in the decisions together, and in all other documents together. */
export const proseMax = { decisions: 9_000, others: 40_000 } as const
/** A shorter sentence may be in two places. */
const repeatedWordsMin = 8

/** One document: its path from the root of the project, its words of prose, and its sentences. */
export interface Prose {
  readonly path: string
  readonly isDecision: boolean
  /** 0 for a page that is generated as a whole. */
  readonly wordCount: number
  readonly sentences: readonly string[]
}

/** A page that says so in its first lines is generated as a whole. */
const generatedMark = /^This page is generated from the code\b/m
const generatedPart = /<!-- (?:table|picture): [^>]*-->[\s\S]*?<!-- end -->/g
const codeBlock = /^( *)```[\s\S]*?^\1```$/gm

/** The text of a document without code blocks, generated parts, comments, addresses of links and marks. */
function readProse(markdown: string): string {
  return markdown
    .replace(generatedPart, '')
    .replace(codeBlock, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\|[-|: ]+\|$/gm, '')
}

const countWords = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** Splits prose into sentences. A heading, an item of a list and a cell of a table end a sentence too. */
function splitSentences(prose: string): string[] {
  return prose
    .replace(/^(?: *(?:[-*]|\d+\.) | *#+ | *\|)/gm, '\n\n')
    .split(/\n\s*\n|\|/)
    .flatMap((part) => part.replace(/\s+/g, ' ').split(/(?<=[.!?:;]) /))
    .map((sentence) =>
      sentence
        .replace(/[*_`"]/g, '')
        .replace(/[\s.:;!?]+$/, '')
        .trim()
        .toLowerCase(),
    )
    .filter((sentence) => countWords(sentence) >= repeatedWordsMin)
}

/** Reads the documents of the project, in order of their paths. */
export function readDocuments(): Prose[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  const paths = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'examples/README.md',
    ...pages,
  ]
  return paths.sort().map((path) => {
    const markdown = readFileSync(join(root, path), 'utf8')
    const prose = generatedMark.test(markdown.slice(0, 300)) ? '' : readProse(markdown)
    return {
      path,
      isDecision: path.startsWith('docs/decisions/'),
      wordCount: countWords(prose),
      sentences: splitSentences(prose),
    }
  })
}

/** Sums the words of prose of the decisions, and of all other documents. */
export function sumWords(documents: readonly Prose[]): { decisions: number; others: number } {
  const sum = (isDecision: boolean) =>
    documents.reduce((total, page) => total + (page.isDecision === isDecision ? page.wordCount : 0), 0)
  return { decisions: sum(true), others: sum(false) }
}

/** Finds the sentences that are in two places, each with the pages that have it. */
export function findRepeatedSentences(documents: readonly Prose[]): { sentence: string; paths: string[] }[] {
  const pathsOfSentences = new Map<string, string[]>()
  for (const { path, sentences } of documents)
    for (const sentence of sentences)
      pathsOfSentences.set(sentence, [...(pathsOfSentences.get(sentence) ?? []), path])
  return [...pathsOfSentences]
    .filter(([, paths]) => paths.length > 1)
    .map(([sentence, paths]) => ({ sentence, paths }))
}

/** Formats the words of prose by page, with the two sums. */
export function formatWordTable(documents: readonly Prose[]): string {
  const { decisions, others } = sumWords(documents)
  const lines = documents
    .filter(({ isDecision }) => !isDecision)
    .map(({ path, wordCount }) => `${String(wordCount).padStart(7)}  ${path}`)
  return [
    ...lines,
    `${String(others).padStart(7)}  all of these, of at most ${proseMax.others}`,
    `${String(decisions).padStart(7)}  docs/decisions, of at most ${proseMax.decisions}`,
    '',
  ].join('\n')
}
