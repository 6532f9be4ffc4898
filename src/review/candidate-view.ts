import { diffArrays } from 'diff'
import type { Mark, CandidateView, DecisionView, ProposalView, QueueRow } from './page-data.js'
import type { QueueEntry } from './queue.js'
import type { CheckpointReader } from '../pipeline/inspect-rows.js'
import type { Proposals } from '../pipeline/decisions/decision-sync.js'
import type { Decision, Candidate, KeptDecision } from '../core/decisions.js'
import { isEntityId } from '../core/identifiers.js'
import { nameCountryOnce } from '../core/numbers/stated-identifiers.js'
import { findCertainCountry } from '../registry/normalize/places.js'

/** Two texts, in each of which the shared parts are marked. */
export interface ComparedTexts {
  readonly left: readonly Mark[]
  readonly right: readonly Mark[]
}

/** Longer texts are not compared. */
const charsMax = 2_000
/** Minimum share of common letters for two words to be compared letter by letter. */
const resemblanceMin = 0.7
/** More pieces than this in one word are too many to be useful. */
const markedPiecesMax = 5
/** Longer names are not aligned; only equal words are marked. */
const alignedWordsMax = 40
/** Maximum number of words that can form one word in the other text: "Exxon Mobil". */
const joinedWordsMax = 4

/**
 * Marks the common parts of two names: first words, then letters of similar words ("AG" and "Aktiengesellschaft" are not
 * similar). Ignores case, accents, width, spellings of umlauts, punctuation and word order. The joined marks of a text
 * are the text.
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

/** Marks the common words of two places, in any order, and the last parts if they name the same country. */
export function comparePlaces(left: string | null, right: string | null): ComparedTexts {
  const country = findCertainCountry(left)
  const isSameCountry = country !== null && country === findCertainCountry(right)
  return compare(left, right, (ones, others) => {
    if (isSameCountry)
      for (const word of [...takeLastPart(left, ones), ...takeLastPart(right, others)]) word.isShared = true
    shareMoved(ones.filter(isOpen), others.filter(isOpen))
  })
}

/** Returns the words after the last comma of a text. */
function takeLastPart(text: string | null, words: readonly Piece[]): readonly Piece[] {
  const count = splitPieces(text?.split(',').at(-1) ?? null).filter(isWord).length
  return words.slice(Math.max(0, words.length - count))
}

/** A word, or the text between two words. */
interface Piece {
  readonly text: string
  /** Possible folded spellings of the word; empty between words. */
  readonly spellings: readonly string[]
  isShared: boolean
  /** Set if only some letters are shared. */
  letterMarks: readonly Mark[] | null
}

const isWord = ({ spellings }: Piece): boolean => spellings.length > 0
const isOpen = ({ isShared }: Piece): boolean => !isShared

function compare(
  left: string | null,
  right: string | null,
  share: (ones: readonly Piece[], others: readonly Piece[]) => void,
): ComparedTexts {
  const [ones, others] = [splitPieces(left), splitPieces(right)]
  share(ones.filter(isWord), others.filter(isWord))
  return { left: buildMarks(ones), right: buildMarks(others) }
}

/** Also splits scripts without spaces into words. */
const words = new Intl.Segmenter('und', { granularity: 'word' })
const letters = new Intl.Segmenter('und', { granularity: 'grapheme' })

function splitPieces(text: string | null): Piece[] {
  if (text === null || text === '') return []
  const createPiece = (piece: string, spellings: readonly string[]): Piece => ({
    text: piece,
    spellings,
    isShared: false,
    letterMarks: null,
  })
  if (text.length > charsMax) return [createPiece(text, [])]
  return [...words.segment(text)].map(({ segment }) => createPiece(segment, listSpellings(segment)))
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

/** Returns spellings without accents, and with umlauts written as two letters. */
function listSpellings(text: string): string[] {
  if (plainWord.test(text)) return [text.toLowerCase()]
  if (text === ' ') return []
  const folded = text.normalize('NFKC').toLowerCase()
  const spelledOut = folded.replace(/[äöüåøæß]/g, (letter) => umlauts[letter] ?? letter)
  return [...new Set([folded, spelledOut].map(removeAccents))].filter((spelling) => spelling !== '')
}

/** Combining marks are accents in Latin script, but letters in other scripts. */
function removeAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '')
    .normalize('NFC')
}

const isSameWord = (one: Piece, other: Piece): boolean =>
  one.spellings.some((spelling) => other.spellings.includes(spelling))

/** Shares the words that have the same order in both texts. */
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

/** Shares words that are one word in the other text. */
function shareJoined(ones: readonly Piece[], others: readonly Piece[]): void {
  for (const whole of others) {
    for (const [at, first] of ones.entries()) {
      if (first.isShared) continue
      const parts = findParts(whole.spellings[0] ?? '', ones.slice(at, at + joinedWordsMax))
      for (const word of parts.length === 0 ? [] : [whole, ...parts]) word.isShared = true
      if (parts.length > 0) break
    }
  }
}

/** Returns the leading words that form `whole` when joined; empty if none do. */
function findParts(whole: string, following: readonly Piece[]): readonly Piece[] {
  let joined = ''
  for (const [at, { spellings, isShared }] of following.entries()) {
    joined += spellings[0] ?? ''
    if (isShared || !whole.startsWith(joined)) return []
    if (joined === whole) return following.slice(0, at + 1)
  }
  return []
}

/** Shares equal words in any order, each with one word of the other text. */
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

/** Shares letters of similar words. Each word is paired with its most similar one. */
function shareLetters(ones: readonly Piece[], others: readonly Piece[]): void {
  const lettersOfOthers = others.map(toLetters)
  const pairs = ones
    .map(toLetters)
    .flatMap((one) => lettersOfOthers.map((other) => ({ one, other })))
    .filter(({ one, other }) => boundResemblance(one, other) >= resemblanceMin)
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

function toLetters(word: Piece): Letters {
  if (plainWord.test(word.text))
    return { word, written: Array.from(word.text), folded: Array.from(word.text.toLowerCase()) }
  const written = [...letters.segment(word.text)].map(({ segment }) => segment)
  return { word, written, folded: written.map((letter) => listSpellings(letter)[0] ?? letter) }
}

/** Returns an upper bound of the similarity. */
function boundResemblance(one: Letters, other: Letters): number {
  const left = [...other.folded]
  for (const letter of one.folded) {
    const at = left.indexOf(letter)
    if (at !== -1) left.splice(at, 1)
  }
  const sharedMax = other.folded.length - left.length
  return (2 * sharedMax) / (one.folded.length + other.folded.length)
}

/** Text between two words is marked only if both are. */
function buildMarks(pieces: readonly Piece[]): Mark[] {
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

export function toCandidateView(candidate: Candidate, asked: AskedTexts): CandidateView {
  const { legalName, name, place } = candidate
  const names = compareNames(nameCountryOnce(asked.name), legalName ?? name)
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
    obstacle: findObstacle(candidate),
  }
}

function findObstacle({ entityId }: Candidate): string | null {
  if (entityId === null) return 'the service returned no company id for it'
  return isEntityId(entityId) ? null : `its id ${entityId} is not a company id (siq_…)`
}

export function toDecisionView(decision: KeptDecision): DecisionView {
  const { sequence, lookup, verdict, entityId, entityName, decidedBy, decidedAtMs, note } = decision
  const name = nameCountryOnce(decision.name)
  return { sequence, lookup, name, verdict, entityId, entityName, decidedBy, decidedAtMs, note }
}

/** Reads the lookups of entries. Omits those that are no longer in the checkpoint. */
export function readQueueRows(
  entries: readonly QueueEntry[],
  reader: Pick<CheckpointReader, 'readLookups'>,
  proposals: Pick<Proposals, 'find'>,
): QueueRow[] {
  const identities = reader.readLookups(entries.map(({ id }) => id))
  return entries.flatMap(({ status, confidence, rowCount, reason, decision }, at) => {
    const identity = identities[at] ?? null
    if (identity === null) return []
    const lookup = Buffer.from(identity.key).toString('hex')
    return {
      lookup,
      name: nameCountryOnce(identity.name),
      location: identity.location,
      status,
      confidence,
      rowCount,
      reason,
      decision: decision === null ? null : toDecisionView(decision),
      proposal: toProposalView(proposals.find(lookup, decision)),
    }
  })
}

function toProposalView(proposal: Decision | null): ProposalView | null {
  if (proposal === null) return null
  const { verdict, entityId, entityName, decidedBy, decidedAtMs, note } = proposal
  return { verdict, entityId, entityName, decidedBy, decidedAtMs, note }
}
