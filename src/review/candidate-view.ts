import { diffArrays } from 'diff'
import type { Mark, CandidateView, DecisionView } from './page-data.js'
import type { KeptDecision } from '../pipeline/decisions/review-store.js'
import { isEntityId } from '../core/identifiers.js'
import type { Candidate } from '../pipeline/answers/candidate.js'

/** Of both texts, what the other has too. */
export interface ComparedTexts {
  readonly left: readonly Mark[]
  readonly right: readonly Mark[]
}

/** Longer texts are shown without being compared. */
const charsMax = 2_000
/** Letters that two words share, of all letters of both: below it, marks inside of them would say nothing. */
const resemblanceMin = 0.7
/** More pieces than these inside of a word are noise. */
const markedPiecesMax = 5
/** Of a name: as many are put side by side; others are only looked for. */
const alignedWordsMax = 40
/** Words that are one word in the other text: "Exxon Mobil". */
const joinedWordsMax = 4

/**
 * What two names have in common: words first, letters only inside of words that resemble each other ("AG" and
 * "Aktiengesellschaft" do not). Case, accents, width and the ways of writing umlauts make no difference, nor does
 * punctuation; a word is shared wherever it stands. The marks of a text, joined, are the text.
 */
export function compareNames(left: string | null, right: string | null): ComparedTexts {
  return compare(left, right, (ones, others) => {
    const isShort = Math.max(ones.length, others.length) <= alignedWordsMax
    if (isShort) shareAligned(ones, others)
    shareMoved(ones.filter(isOpen), others.filter(isOpen))
    if (!isShort) return
    shareJoined(ones, others.filter(isOpen))
    shareJoined(others, ones.filter(isOpen))
    shareLetters(ones.filter(isOpen), others.filter(isOpen))
  })
}

/** What two places have in common, which may name the same things in any order. */
export function comparePlaces(left: string | null, right: string | null): ComparedTexts {
  return compare(left, right, shareMoved)
}

/** A word, or what stands between words. */
interface Piece {
  readonly text: string
  /** As the word may be written, folded; none between words. */
  readonly spellings: readonly string[]
  isShared: boolean
  /** Where only some of its letters are. */
  letterMarks: readonly Mark[] | null
}

const isWord = ({ spellings }: Piece): boolean => spellings.length > 0
const isOpen = ({ isShared }: Piece): boolean => !isShared

function compare(
  left: string | null,
  right: string | null,
  share: (ones: readonly Piece[], others: readonly Piece[]) => void,
): ComparedTexts {
  const [ones, others] = [piecesOf(left), piecesOf(right)]
  share(ones.filter(isWord), others.filter(isWord))
  return { left: marksOf(ones), right: marksOf(others) }
}

/** Finds the words of scripts without spaces too. */
const words = new Intl.Segmenter('und', { granularity: 'word' })
const letters = new Intl.Segmenter('und', { granularity: 'grapheme' })

function piecesOf(text: string | null): Piece[] {
  if (text === null || text === '') return []
  const pieceOf = (piece: string, spellings: readonly string[]): Piece => ({
    text: piece,
    spellings,
    isShared: false,
    letterMarks: null,
  })
  if (text.length > charsMax) return [pieceOf(text, [])]
  return [...words.segment(text)].map(({ segment }) => pieceOf(segment, spellingsOf(segment)))
}

const umlauts: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  å: 'aa',
  ø: 'oe',
  æ: 'ae',
  ß: 'ss',
}

const plainWord = /^[a-zA-Z0-9]+$/

/** Without accents, and with umlauts as they are written where there are none. */
function spellingsOf(text: string): string[] {
  if (plainWord.test(text)) return [text.toLowerCase()]
  if (text === ' ') return []
  const folded = text.normalize('NFKC').toLowerCase()
  const spelledOut = folded.replace(/[äöüåøæß]/g, (letter) => umlauts[letter] ?? letter)
  return [...new Set([folded, spelledOut].map(plainLetters))].filter((spelling) => spelling !== '')
}

/** Marks on letters are accents in Latin, and letters of their own in other scripts. */
function plainLetters(text: string): string {
  return text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
    .normalize('NFC')
}

const isSameWord = (one: Piece, other: Piece): boolean =>
  one.spellings.some((spelling) => other.spellings.includes(spelling))

/** Words that stand in the same order in both. */
function shareAligned(ones: readonly Piece[], others: readonly Piece[]): void {
  let [at, otherAt] = [0, 0]
  for (const { added, removed, count } of diffArrays([...ones], [...others], { comparator: isSameWord })) {
    const isShared = !added && !removed
    if (isShared) for (const word of ones.slice(at, at + count)) word.isShared = true
    if (isShared) for (const word of others.slice(otherAt, otherAt + count)) word.isShared = true
    if (!added) at += count
    if (!removed) otherAt += count
  }
}

/** Words that are one word in the other text. */
function shareJoined(ones: readonly Piece[], others: readonly Piece[]): void {
  for (const whole of others) {
    for (const [at, first] of ones.entries()) {
      if (first.isShared) continue
      const parts = partsOf(whole.spellings[0] ?? '', ones.slice(at, at + joinedWordsMax))
      for (const word of parts.length === 0 ? [] : [whole, ...parts]) word.isShared = true
      if (parts.length > 0) break
    }
  }
}

/** Those words, from the first on, that are the whole when they are joined; none where they are not. */
function partsOf(whole: string, following: readonly Piece[]): readonly Piece[] {
  let joined = ''
  for (const [at, { spellings, isShared }] of following.entries()) {
    joined += spellings[0] ?? ''
    if (isShared || !whole.startsWith(joined)) return []
    if (joined === whole) return following.slice(0, at + 1)
  }
  return []
}

/** Words that both have, each for one of the other's, wherever they stand. */
function shareMoved(ones: readonly Piece[], others: readonly Piece[]): void {
  const left = [...others]
  for (const word of ones) {
    const at = left.findIndex((other) => isSameWord(word, other))
    const [other] = at === -1 ? [] : left.splice(at, 1)
    if (other === undefined) continue
    word.isShared = true
    other.isShared = true
  }
}

/** Inside of words that resemble each other, each with the one that it resembles most. */
function shareLetters(ones: readonly Piece[], others: readonly Piece[]): void {
  const lettersOfOthers = others.map(lettersOf)
  const pairs = ones
    .map(lettersOf)
    .flatMap((one) => lettersOfOthers.map((other) => ({ one, other })))
    .filter(({ one, other }) => resemblanceBound(one, other) >= resemblanceMin)
    .map(({ one, other }) => ({ words: [one.word, other.word], ...compareLetters(one, other) }))
    .filter(({ resemblance }) => resemblance >= resemblanceMin)
    .sort((pair, another) => another.resemblance - pair.resemblance)
  const taken = new Set<Piece>()
  for (const { words, left, right } of pairs) {
    const [word, other] = words
    if (word === undefined || other === undefined || words.some((one) => taken.has(one))) continue
    taken.add(word).add(other)
    if (Math.max(left.length, right.length) > markedPiecesMax) continue
    word.letterMarks = left
    other.letterMarks = right
  }
}

function compareLetters(one: Letters, other: Letters): ComparedTexts & { readonly resemblance: number } {
  const [left, right]: [Mark[], Mark[]] = [[], []]
  let [at, otherAt, sharedCount] = [0, 0, 0]
  for (const { added, removed, count } of diffArrays(one.folded, other.folded)) {
    const isShared = !added && !removed
    if (isShared) sharedCount += count
    if (!added) left.push({ text: one.written.slice(at, (at += count)).join(''), isShared })
    if (!removed) right.push({ text: other.written.slice(otherAt, (otherAt += count)).join(''), isShared })
  }
  return { left, right, resemblance: (2 * sharedCount) / (one.written.length + other.written.length) }
}

interface Letters {
  readonly word: Piece
  readonly written: string[]
  readonly folded: string[]
}

function lettersOf(word: Piece): Letters {
  if (plainWord.test(word.text))
    return { word, written: Array.from(word.text), folded: Array.from(word.text.toLowerCase()) }
  const written = [...letters.segment(word.text)].map(({ segment }) => segment)
  return { word, written, folded: written.map((letter) => spellingsOf(letter)[0] ?? letter) }
}

/** No less than what comparing them would give. */
function resemblanceBound(one: Letters, other: Letters): number {
  const left = [...other.folded]
  for (const letter of one.folded) {
    const at = left.indexOf(letter)
    if (at !== -1) left.splice(at, 1)
  }
  const sharedMax = other.folded.length - left.length
  return (2 * sharedMax) / (one.folded.length + other.folded.length)
}

/** What stands between words goes with them: it is marked only between two that are. */
function marksOf(pieces: readonly Piece[]): Mark[] {
  const marks: Mark[] = []
  const add = ({ text, isShared }: Mark) => {
    const last = marks.at(-1)
    if (last?.isShared === isShared) marks[marks.length - 1] = { text: last.text + text, isShared }
    else marks.push({ text, isShared })
  }
  const isMarked = (piece: Piece | undefined) => piece !== undefined && !piece.isShared && isWord(piece)
  for (const [at, piece] of pieces.entries()) {
    if (piece.letterMarks !== null) piece.letterMarks.forEach(add)
    else if (isWord(piece)) add(piece)
    else {
      const before = pieces.slice(0, at).findLast(isWord)
      const after = pieces.slice(at + 1).find(isWord)
      const isBetween = isMarked(before) && isMarked(after) && before?.letterMarks === null
      add({ text: piece.text, isShared: !(isBetween && after?.letterMarks === null) })
    }
  }
  return marks
}

interface AskedTexts {
  readonly name: string
  readonly location: string | null
}

/** A candidate as it is shown beside what was asked. */
export function candidateView(candidate: Candidate, asked: AskedTexts): CandidateView {
  const { legalName, name, place } = candidate
  const names = compareNames(asked.name, legalName ?? name)
  return {
    entityId: candidate.entityId,
    name,
    legalName,
    otherNames: candidate.otherNames,
    status: candidate.status,
    place,
    identifiers: candidate.identifiers,
    confidence: candidate.confidence,
    evidence: candidate.evidence,
    url: candidate.url,
    nameMarks: names.right,
    askedMarks: names.left,
    placeMarks: comparePlaces(asked.location, place).right,
    obstacle: obstacleOf(candidate),
  }
}

function obstacleOf({ entityId }: Candidate): string | null {
  if (entityId === null) return 'the service gives no id of a company for it'
  return isEntityId(entityId) ? null : `its id, ${entityId}, is not one of a company (siq_…)`
}

export function decisionView(decision: KeptDecision): DecisionView {
  const { sequence, lookup, name, verdict, entityId, entityName, decidedBy, decidedAtMs, note } = decision
  return { sequence, lookup, name, verdict, entityId, entityName, decidedBy, decidedAtMs, note }
}
