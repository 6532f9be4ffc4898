import {
  cutToWidth,
  escapeFormula,
  quoteName,
  toPlainDigits,
  toPlainLetters,
  writeArabicPlain,
} from '../../core/text.js'
import { assertNever } from '../../core/errors.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import { foldText } from '../../core/lookup-identity.js'
import type { Decision } from '../../core/decisions.js'
import type { DecisionView, QueueRow } from '../page-data.js'
import { requestLimits } from '../server/requests.js'
import type { FilledLine } from './todo-file.js'
import { describeEntityId, isEntityId } from '../../core/identifiers.js'
import { nameCountryOnce } from '../../core/numbers/stated-identifiers.js'

export interface SettledLine extends Pick<Decision, 'verdict' | 'entityId' | 'note'> {
  /** Row or line number in the file. */
  readonly number: number
  readonly row: QueueRow
}

/** The reason why a line is invalid. */
export interface LineProblem {
  readonly number: number
  /** Name of the lookup; `null` if the line has none. */
  readonly name: string | null
  readonly text: string
}

export interface SettledLines {
  /** In the order of the file, at most one per lookup. */
  readonly choices: readonly SettledLine[]
  readonly problems: readonly LineProblem[]
  /** Lookups whose decision already equals that of the file. */
  readonly unchangedCount: number
  readonly undecidedCount: number
  /** Lines with a note but no verdict. Their notes are not recorded. */
  readonly loneNoteCount: number
}

/** State of the review at the time of the import. */
export interface ImportContext {
  /** Doubtful or decided lookups of the input, by key in hexadecimal digits. */
  readonly rows: ReadonlyMap<string, QueueRow>
  readonly reviewer: string
  /** Unit of line numbers. */
  readonly unit: 'row' | 'line'
}

/** Converts the lines of a filled-in file to verdicts. Does not check that the companies exist. */
export function settleLines(lines: readonly FilledLine[], known: ImportContext): SettledLines {
  const words = new Set(lines.map((line) => foldCase(toPlainText(line.verdict))))
  const typed = lines.map((line) => ({ line, verdict: readVerdict(line.verdict, words) }))
  const undecided = typed.filter(({ verdict }) => verdict.kind === 'undecided').map(({ line }) => line)
  const problems: LineProblem[] = []
  const settled = new Map<string, SettledLine>()
  const unchanged = new Set<string>()
  for (const { line, verdict } of typed) {
    if (verdict.kind === 'undecided') continue
    const read = settleLine(line, verdict, known)
    if ('text' in read) {
      problems.push(read)
      continue
    }
    const { lookup } = read.row
    const other = settled.get(lookup)
    if (other !== undefined && !isSame(read, other)) {
      const text = `${known.unit} ${other.number} has another verdict for the same lookup: ${formatVerdict(other)} there, ${formatVerdict(read)} here`
      problems.push({ number: read.number, name: read.row.name, text })
    } else if (other === undefined) settled.set(lookup, read)
    else if (other.note === null && read.note !== null) settled.set(lookup, { ...other, note: read.note })
  }
  for (const line of settled.values()) {
    const standing = getCurrentDecision(line.row)
    if (standing === null) continue
    if (isUnchanged(line, standing, known.reviewer)) unchanged.add(line.row.lookup)
    else if (standing.decidedBy !== known.reviewer) problems.push(createConflictProblem(line, standing))
  }
  return {
    choices: [...settled.values()].filter(({ row }) => !unchanged.has(row.lookup)),
    problems: [...problems].sort((a, b) => a.number - b.number),
    unchangedCount: unchanged.size,
    undecidedCount: undecided.length,
    loneNoteCount: undecided.filter(({ note }) => note !== '').length,
  }
}

/** A decision that is doubtful again can be replaced. */
const getCurrentDecision = ({ decision, reason }: QueueRow): DecisionView | null =>
  reason === null ? decision : null

type LineVerdict = Pick<SettledLine, 'verdict' | 'entityId'>

const isSame = (one: LineVerdict, other: LineVerdict): boolean =>
  one.verdict === other.verdict && one.entityId === other.entityId

/** A new note is added to the reviewer's own decision, but not to that of another reviewer. */
function isUnchanged(line: SettledLine, standing: DecisionView, reviewer: string): boolean {
  if (!isSame(line, standing)) return false
  const hasNewNote = line.note !== null && foldText(line.note) !== foldText(standing.note)
  return !hasNewNote || standing.decidedBy !== reviewer
}

export function createConflictProblem({ number, row }: SettledLine, other: DecisionView): LineProblem {
  const when = new Date(other.decidedAtMs).toISOString().slice(0, 16).replace('T', ' ')
  const text = `${other.decidedBy} made another decision on ${when} UTC: ${formatVerdict(other)}`
  return { number, name: row.name, text }
}

const formatVerdict = ({ verdict, entityId }: LineVerdict): string =>
  verdict === 'none' ? 'none of these' : (entityId ?? '')

function settleLine(
  line: FilledLine,
  verdict: TypedVerdict,
  { rows }: ImportContext,
): SettledLine | LineProblem {
  const { number } = line
  const row = rows.get(line.lookup)
  const createProblem = (text: string): LineProblem => ({ number, name: row?.name ?? line.name, text })
  if (line.lookup === '') return createProblem('it has a verdict but no lookup')
  if (row === undefined)
    return createProblem(
      `the input has no doubtful lookup ${cutToWidth(line.lookup, shownColumnsMax)}: the export was of another input, or had other options, such as --country`,
    )
  if (line.name !== null && !hasName(line.name, row)) {
    return createProblem(
      `its name is ${shown(line.name)}, but the name of its lookup is ${shown(row.name)}: restore the name`,
    )
  }
  if (line.lookupAgain !== null && line.lookupAgain !== line.lookup) {
    const other = rows.get(line.lookupAgain)?.name ?? line.lookupAgain
    return createProblem(`its candidates are those of ${shown(other)}: only some of the columns were sorted`)
  }
  if (line.note.length > requestLimits.noteCharsMax)
    return createProblem(`its note has more than ${requestLimits.noteCharsMax} characters`)
  const company = findCompany(line, verdict)
  return 'problem' in company
    ? createProblem(company.problem)
    : { number, row, ...company, note: line.note === '' ? null : line.note }
}

/**
 * CSV files have an apostrophe before text that a spreadsheet would evaluate. Spreadsheets write `?` for a letter that
 * their encoding does not have.
 */
export function hasName(name: string, row: Pick<QueueRow, 'name'>): boolean {
  const typed = Array.from(foldText(nameCountryOnce(name)))
  return [row.name, escapeFormula(row.name)].some((one) => {
    const letters = Array.from(foldText(one))
    return letters.length === typed.length && letters.every((letter, at) => isLetter(letter, typed[at]))
  })
}

const isLetter = (letter: string, typed: string | undefined): boolean =>
  typed === letter || (typed === '?' && letter > '\u007f')

const shownColumnsMax = 60
function shown(text: string): string {
  const cut = cutToWidth(text, shownColumnsMax)
  return quoteName(`${cut}${cut === text ? '' : '…'}`)
}

/** Finds the chosen company among the candidates of the file. The current candidates may differ. */
function findCompany(line: FilledLine, verdict: TypedVerdict): LineVerdict | { readonly problem: string } {
  const ids = line.candidateIds.filter((id) => id !== null)
  switch (verdict.kind) {
    case 'none':
      return { verdict: 'none', entityId: null }
    case 'company':
      return { verdict: 'accepted', entityId: verdict.entityId }
    case 'candidate':
      return toAccepted(
        line.candidateIds[verdict.number - 1] ?? null,
        verdict.number < 1 || line.candidateCount < verdict.number
          ? `there is no candidate ${verdict.number}: the row has ${line.candidateCount || 'none'}; ${otherVerdicts}`
          : `candidate ${verdict.number} has no id`,
      )
    case 'yes': {
      const [only = null] = ids
      const said = shown(line.verdict)
      if (line.candidateCount > 1)
        return {
          problem: `${said} does not select one of ${line.candidateCount} candidates: type its number`,
        }
      const lack = line.candidateCount === 0 ? 'the row has no candidate' : 'the candidate has no id'
      return toAccepted(only, `${said} accepts the only candidate, but ${lack}: ${otherVerdicts}`)
    }
    case 'unclear':
      return { problem: `${shown(line.verdict)} is yes in one language and no in another: type yes or none` }
    case 'undecided':
    case 'unreadable':
      return { problem: `${shown(line.verdict)} is not a verdict: ${describeVerdicts(line.verdict)}` }
    default:
      return assertNever(verdict)
  }
}

const otherVerdicts = 'type the id of a company (siq_…), or none'

const describeVerdicts = (typed: string): string =>
  /^\s*le_/i.test(typed)
    ? describeEntityId(typed)
    : 'type the number of a candidate, yes for the only candidate, none, or the id of a company (siq_…); docs/reference/verdicts.md lists the words that are known'

function toAccepted(id: string | null, problem: string): LineVerdict | { readonly problem: string } {
  if (id === null) return { problem }
  const typed = readVerdict(id)
  return typed.kind === 'company'
    ? { verdict: 'accepted', entityId: typed.entityId }
    : { problem: `the candidate's id ${shown(id)} is not a company id` }
}

/** Text of a verdict cell, parsed. */
export type TypedVerdict =
  | { readonly kind: 'undecided' }
  /** The number of a candidate, which may not exist. */
  | { readonly kind: 'candidate'; readonly number: number }
  /** The only candidate. */
  | { readonly kind: 'yes' }
  | { readonly kind: 'none' }
  | { readonly kind: 'company'; readonly entityId: string }
  /** Yes in one language and no in another. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'unreadable' }

const toWords = (...lists: string[]): ReadonlySet<string> =>
  new Set(lists.join('|').normalize('NFKC').split('|'))

/**
 * Folds case as all languages do: `I` is the capital of `i`, in Turkish and Azerbaijani of `ı`; Greek capitals have no
 * accents. Signs lose the mark that selects their form.
 */
function foldCase(text: string): string {
  return writeArabicPlain(text)
    .toLowerCase()
    .replace(/\u0307|[\ufe0e\ufe0f]/g, '')
    .replaceAll('ı', 'i')
    .normalize('NFD')
    .replace(/(?<=\p{Script=Greek})\u0301/gu, '')
    .normalize('NFKC')
}

/** Yes in common languages, as letters of a keyboard without accents too, and the true of spreadsheets. */
export const yesWords = toWords(
  'yes|y|ok|accept|accepted|ja|j|jawohl|oui|sí|si|sì|sim|da|tak|ano|áno|igen|evet|kyllä|kylla|jah|jā|taip|já|да|так|ναι|はい|是|是的|' +
    '对|對|正确|正確|예|네|نعم|כן|हाँ|हां|vâng|đúng|ya|ใช่|po|კი|այո|иә|bəli|بله|true|wahr|vrai|verdadero|verdadeiro|vero|waar|prawda|sant|' +
    'истина|ndiyo|ndio|oo|opo|ha|haan|yebo|iya|correct|correcto|correcta|cierto|de acuerdo|aceptar|aceptado|certo|correto|' +
    "corretto|exacto|exact|d'accord|richtig|stimmt|korrekt|passt|klopt|juist|akkoord|stämmer|stemmer|rätt|riktig|rigtig|oikein|" +
    'zgadza się|prawidłowo|dobrze|správně|souhlasí|správne|súhlasí|helyes|drži|velja|točno|pravilno|tačno|tako je|ispravno|corect|' +
    'adevărat|doğru|tamam|onay|верно|правильно|подходит|вірно|вярно|точно|σωστό|σωστά|teisingai|tinka|pareizi|õige|rétt|صح|صحيح|' +
    'موافق|נכון|सही|benar|betul|tama|ถูกต้อง|đồng ý|正しい|该公司|맞음|맞다|сәйкес|дұрыс|ہاں|جی|جی ہاں|درست|ہاں جی|ji|ji haan|haan ji|' +
    "ҳа|тўғри|to'g'ri|to‘g‘ri|toʻgʻri|ооба|туура|হ্যাঁ|জি|জ্বি|সঠিক|जी|जी हाँ|जी हां",
  headerWords.verdicts.yes,
)

/** No, and none, in these languages. `false` is missing: an empty check box has it. */
export const noneWords = toWords(
  'none|none of these|no|n|nein|kein|keine|keiner|keins|keines|non|aucun|aucune|rien|ninguno|ninguna|ningún|ningun|nada|nessuno|' +
    'nessuna|nessun|niente|não|nao|nenhum|nenhuma|nee|geen|nej|nei|ingen|inget|intet|nie|żaden|zaden|żadna|żadne|brak|ne|žádný|žádná|' +
    'žádné|žiadny|žiadna|žiadne|nem|nincs|egyik sem|nu|niciunul|niciuna|hayır|hayir|hiçbiri|yok|ei|ei mikään|mitte ükski|nē|neviens|' +
    'nav|nėra|nė viena|nijedan|nijedna|nobeden|nobena|нет|никакой|ни один|ні|немає|жодна|не|няма|никой|όχι|οχι|κανένα|κανένας|καμία|' +
    'いいえ|なし|無し|該当なし|否|无|無|没有|沒有|不是|不|아니요|아니오|없음|해당없음|해당 없음|해당사항없음|해당사항 없음|لا|لا شيء|לא|אין|नहीं|कोई नहीं|không|không có|tidak|' +
    'tidak ada|bukan|ไม่|ไม่ใช่|ไม่มี|engin|enginn|cap|asnjë|არა|ոչ|жоқ|xeyr|خیر|نه|ei löydy|以上皆非|以上都不是|都不是|均不是|不对|不對|查无|查無|hapana|' +
    'hakuna|hindi|wala|yo‘q|tidak ada yang cocok|nijedno|ништа|ниједан|ниједна|niet gevonden|geen van deze|introuvable|' +
    'nicht gefunden|no encontrado|non trovato|não encontrado|无此公司|nahi|nahin|no match|none match|not found|no existe|no hay|' +
    "aucun candidat|n'existe pas|inexistant|pas trouvé|faux|keiner davon|keine davon|keines davon|keine treffer|kein treffer|nichts|" +
    'nicht vorhanden|existiert nicht|falsch|bestaat niet|niets|geen enkele|onjuist|fout|finns inte|ingen av dessa|hittades inte|inga|' +
    'finnes ikke|ingen av disse|ikke funnet|findes ikke|ingen af disse|ikke fundet|ingenting|ei mitään|ei mikään näistä|ei ole|' +
    'žiadny z nich|nikto|nenájdené|nič|nincs ilyen|egyik sem jó|nem létezik|nem található|semmi|egyik se|noben|nobeno|noben od teh|' +
    'нема|нико|не постоји|није пронађено|ниту еден|нема такво|не постои|niciunul dintre ele|nimic|nu există|nu exista|nu s-a găsit|' +
    'nimeni|bulunamadı|bulunamadi|hiçbirisi|hiç biri|hicbiri|mevcut değil|değil|yanlış|нету|ничего|никто|ни одна|ни одно|' +
    'ни один из них|ни одна из них|не существует|не найдено|не найден|не подходит|неверно|нікого|нічого|ніхто|жоден|жодне|жодний|' +
    'не існує|не знайдено|нищо|нито един|нито една|никоя|няма такъв|не съществува|не е намерено|τίποτα|κανείς|κανένα από αυτά|' +
    'δεν υπάρχει|δεν βρέθηκε|niekas|nieko|nė vienas|neegzistuoja|nerasta|nekas|nav atrasts|neviena|neviens no tiem|neeksistē|puudub|' +
    "ükski|pole|ei ole olemas|ei leitud|ekkert|engin þeirra|fannst ekki|cap d'aquests|no existeix|asgjë|askush|asnjëri|asnjëra|" +
    'nuk ekziston|nuk u gjet|لا يوجد|لايوجد|لا احد|لا أحد|غير موجود|ليس|ولا واحد|خطأ|אף אחד|אף אחת|אין כזה|לא קיים|לא נמצא|שום דבר|' +
    'هیچ|هیچکدام|هیچ کدام|وجود ندارد|کوئی نہیں|نہیں|कुछ नहीं|इनमें से कोई नहीं|कोई भी नहीं|मौजूद नहीं|không có công ty nào|' +
    'không tồn tại|không tìm thấy|không có cái nào|tidak satu pun|tidak ditemukan|tiada|tidak wujud|ไม่พบ|ไม่มีข้อใดถูก|' +
    'ไม่มีรายการใด|該当無し|どれでもない|いずれでもない|見つからない|存在しない|该公司不存在|不存在|找不到|未找到|沒有符合|没有匹配|없다|찾을 수 없음|존재하지 않음|해당 사항 없음|არცერთი|არაფერი|' +
    'არ არსებობს|ոչ մեկը|չկա|ешқайсысы|табылмады|heç biri|yoxdur|tapılmadı|wala rito|wala dito|walang tugma|walang katugma|hindi ito|' +
    'hindi mahanap|walay|wala diri|awan|dili|walay tugma|hakuna kati ya hizi|haipo|geeneen|geen hiervan|ezin aurkitu|bat ere ez|' +
    "ningún destes|neniu|yo'q|yo’q|yoʻq|yoq|йўқ|жок|hech biri|hech qaysi|hech qaysisi|topilmadi|ешбірі|ешқандай|эч бири|табылган жок|" +
    'koi nahi|koi nahin|koi bhi nahi|inmein se koi nahi|کوئی بھی نہیں|ان میں سے کوئی نہیں|نہیں ملا|جی نہیں|না|কোনোটি নয়|কোনোটিই নয়|পাওয়া যায়নি',
  headerWords.verdicts.none,
)

const foldedYes = new Set([...yesWords].map(foldCase))
const foldedNone = new Set([...noneWords].map(foldCase))
/** "I do not know" leaves a row open. */
const foldedOpen = new Set([...toWords(headerWords.verdicts.open)].map(foldCase))

/** Words are typed without their accents too: `gresit`. Those of three letters or more, where only one meaning remains. */
const toPlain = (word: string) => toPlainLetters(word.normalize('NFKD').replace(/\p{M}/gu, ''))
const toPlainSet = (words: ReadonlySet<string>) =>
  new Set([...words].filter((word) => /^[\p{Script=Latin}\p{M}\P{L}]{3,}$/u.test(word)).map(toPlain))
const [plainYes, plainNone, plainOpen] = [
  toPlainSet(foldedYes),
  toPlainSet(foldedNone),
  toPlainSet(foldedOpen),
]
const isOnlyIn = (word: string, one: ReadonlySet<string>) =>
  [plainYes, plainNone, plainOpen].every((words) => words.has(word) === (words === one))

/** Words of which no reading is the usual one. */
const unclearWords = toWords(headerWords.verdicts.unclear)

/** Words that have another meaning in a second language, which the other words of a file can show. */
const contestedWords = new Map(
  Object.entries(headerWords.verdicts.contested).map(([word, signs]) => [
    word,
    [...toWords(signs)].map(foldCase),
  ]),
)

const isUnclear = (word: string, others: ReadonlySet<string>): boolean =>
  unclearWords.has(word) || contestedWords.get(word)?.some((sign) => others.has(sign)) === true

/** Number of a candidate, with the signs of an ordinal: `2.`, `#2`, `No. 2`, `2번`, `第2`. `No 2` may be a no. */
const candidateNumber =
  /^(?:#|n[or]\. ?|nr |n[or]|第)?(\d{1,9})(?:[.,٫]0+)?(?:\.|\)| ?(?:번째?|番目?|号|號))?$/

const toPlainText = (cell: string): string =>
  toPlainDigits(cell.normalize('NFKC')).replace(/\s+/g, ' ').trim()

/**
 * Parses a cell. Ignores case, width and spaces. Accepts digits of any script, and `1.0` from number cells.
 *
 * @param others Folded verdicts of the file, which show its language.
 */
export function readVerdict(cell: string, others: ReadonlySet<string> = new Set()): TypedVerdict {
  const text = toPlainText(cell)
  const word = foldCase(text)
  if (word === '' || foldedOpen.has(word)) return { kind: 'undecided' }
  if (isUnclear(word, others)) return { kind: 'unclear' }
  if (foldedYes.has(word)) return { kind: 'yes' }
  if (foldedNone.has(word)) return { kind: 'none' }
  const plain = toPlain(word)
  if (isOnlyIn(plain, plainYes)) return { kind: 'yes' }
  if (isOnlyIn(plain, plainNone)) return { kind: 'none' }
  if (isOnlyIn(plain, plainOpen)) return { kind: 'undecided' }
  const [, digits] = candidateNumber.exec(word) ?? []
  if (digits !== undefined) return { kind: 'candidate', number: Number(digits) }
  // Spreadsheets capitalize the first letter.
  const entityId = text.replace(/^siq_/i, 'siq_')
  return isEntityId(entityId) ? { kind: 'company', entityId } : { kind: 'unreadable' }
}
