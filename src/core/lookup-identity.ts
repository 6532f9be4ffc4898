import { fieldLimits } from '../contract/limits.js'
import { toHeaderKey, toHeaderKeys } from './text.js'
import headerWords from './headers.json' with { type: 'json' }

/**
 * Cell texts for a missing value, by language, folded: lower case, single spaces. A text matches with any punctuation
 * around it, and without its accents. Short texts that are also names of companies (`NN`, `NV`, `NEMA`, `NAV`) are
 * omitted.
 */
const missingTexts: Readonly<Record<string, string>> = {
  machines: '#n/a|n/a|n.a|n a|na|n\\a|null|nil|nul|nan|none|undefined|\\n|missing value',
  english:
    'unknown|not known|not available|not applicable|not given|not provided|not specified|not stated|not found|not set|' +
    'not entered|not assigned|unassigned|not recorded|not reported|not disclosed|unspecified|missing|no name|no company|' +
    'no company name|company name missing|name missing|name unknown|unknown name|company unknown|unknown company|' +
    'no data|no value|no info|no information|no entry|none given|none provided|blank|empty|left blank|tbd|t.b.d|tba|' +
    't.b.a|tbc|t.b.c|to be determined|to be decided|to be defined|to be confirmed|to be announced|to be advised|' +
    'n/k|n/r|n/s|n/f',
  german:
    'k.a|k. a|k/a|keine angabe|keine angaben|keine daten|keine|keiner|kein name|kein eintrag|kein firmenname|' +
    'keine information|keine informationen|ohne angabe|ohne angaben|ohne namen|o.a|unbekannt|unbek|firma unbekannt|' +
    'name unbekannt|nicht bekannt|nicht angegeben|nicht vorhanden|nicht verfügbar|nicht zutreffend|nicht zugeordnet|' +
    'n.n|n. n|n.b|n/b|n/v|entfällt|fehlt|fehlender wert|noch offen|wird nachgereicht',
  french:
    'inconnu|inconnue|inconnus|non renseigné|non renseignée|non renseigne|non disponible|non communiqué|non précisé|' +
    'non spécifié|non défini|non applicable|non connu|nom inconnu|pas de nom|sans nom|sans objet|aucun|aucune|' +
    'aucune donnée|aucune information|pas de données|donnée manquante|néant|indisponible|indéterminé|à définir|' +
    'à compléter|à déterminer|à préciser|n.c|n/c|s/o|s.o|n.r|n.d|n/d',
  spanish:
    'sin datos|sin dato|sin nombre|sin información|sin especificar|sin definir|sin asignar|desconocido|desconocida|' +
    'se desconoce|no disponible|no aplica|no aplicable|no procede|no consta|no informado|no informa|no especificado|' +
    'no indicado|no definido|no se sabe|ninguno|ninguna|nulo|por definir|por determinar|por confirmar|s/d|s.d|s/n|s.n',
  portuguese:
    'sem dados|sem nome|sem informação|sem informações|desconhecido|desconhecida|não informado|não informada|' +
    'não disponível|não se aplica|não aplicável|não especificado|não definido|não identificado|não consta|nenhum|' +
    'nenhuma|a definir|a confirmar|ignorado|n/i',
  italian:
    'sconosciuto|sconosciuta|ignoto|non disponibile|non specificato|non specificata|non noto|non nota|non indicato|' +
    'non definito|non applicabile|non pervenuto|nessuno|nessuna|nessun dato|nessun nome|nessuna informazione|' +
    'senza nome|dato mancante|mancante|da definire|da determinare|da confermare',
  dutch:
    'onbekend|niet bekend|niet beschikbaar|niet van toepassing|niet opgegeven|niet ingevuld|niet vermeld|geen|' +
    'geen naam|geen gegevens|geen data|geen opgave|ontbreekt|naam onbekend|n.v.t|nvt|n.n.b|nog te bepalen',
  swedish:
    'okänd|okänt|uppgift saknas|uppgifter saknas|saknas|saknar namn|ej angivet|ej angiven|ej tillgänglig|' +
    'ej tillgängligt|ej tillämpligt|ej känt|ingen|inget|inget namn|ingen uppgift|inte angivet|inte tillgänglig',
  danish:
    'ukendt|ikke oplyst|ikke angivet|ikke tilgængelig|ikke relevant|ikke kendt|mangler|intet navn|ingen data|' +
    'ingen oplysninger|i/t',
  norwegian:
    'ukjent|ikke oppgitt|ikke angitt|ikke tilgjengelig|ikke aktuelt|ikke kjent|ingen opplysninger|uten navn|i/a',
  finnish:
    'tuntematon|ei tiedossa|ei tietoa|ei saatavilla|ei ilmoitettu|ei määritelty|ei sovelleta|ei nimeä|puuttuu',
  polish:
    'brak|brak danych|brak nazwy|brak informacji|b.d|nieznany|nieznana|nieznane|nie podano|nie dotyczy|niedostępne|' +
    'niedostępny|nie określono|nieokreślone|nie wiadomo|do ustalenia|do uzupełnienia',
  czech:
    'neznámý|neznámá|neznámé|neznámo|není známo|neuvedeno|neuvedena|neuveden|není k dispozici|nezadáno|nevyplněno|' +
    'nezjištěno|neurčeno|bez názvu|bez údajů|žádný|žádná|žádné|chybí',
  slovak:
    'neznámy|neznáma|neznáme|neuvedené|neuvedený|nie je k dispozícii|nie je známe|nezadané|žiadny|žiadna|chýba',
  hungarian:
    'ismeretlen|nem ismert|nincs|nincs adat|nincs megadva|nincs név|nem elérhető|nem alkalmazható|hiányzik|' +
    'nincs információ',
  romanian:
    'necunoscut|necunoscută|nespecificat|nespecificată|indisponibil|fără nume|fără date|lipsă|lipsește|nu se aplică|' +
    'nu este cazul|nu există|niciunul|nedefinit',
  croatian:
    'nepoznato|nepoznat|nepoznata|nema podataka|nije navedeno|nije poznato|nije dostupno|nije primjenjivo|bez naziva|' +
    'непознато|нема података|није познато',
  slovenian: 'neznano|neznan|ni podatka|ni podatkov|ni znano|ni na voljo|brez imena|manjka',
  estonian: 'teadmata|tundmatu|andmed puuduvad|puudub|pole teada|määramata',
  latvian: 'nezināms|nezināma|nav zināms|nav datu|nav norādīts|nav pieejams',
  lithuanian: 'nežinoma|nežinomas|nėra|nėra duomenų|nenurodyta|nenurodytas',
  greek:
    'άγνωστο|άγνωστη|άγνωστος|άγνωστα|δεν υπάρχει|δεν είναι διαθέσιμο|δεν διατίθεται|δεν εφαρμόζεται|δεν ορίστηκε|' +
    'μη διαθέσιμο|μη διαθέσιμη|μη ορισμένο|χωρίς όνομα|χωρίς επωνυμία|κανένα|καμία|μ/δ|μ.δ|δ/υ|δ.υ|δ/α',
  turkish:
    'bilinmiyor|bilinmeyen|belirsiz|belirtilmemiş|belirtilmedi|yok|veri yok|bilgi yok|isim yok|adı yok|mevcut değil|' +
    'girilmemiş|girilmedi|tanımsız|isimsiz|uygulanamaz|geçerli değil|belli değil',
  russian:
    'нет данных|нет информации|нет сведений|нет названия|нет|неизвестно|неизвестна|неизвестен|неизвестный|' +
    'не указано|не указан|не указана|не задано|не задан|не определено|не определен|не заполнено|не установлено|' +
    'не применимо|неприменимо|не найдено|отсутствует|отсутствуют|без названия|без имени|данные отсутствуют|н/д|н.д|' +
    'н/у|б/н|уточняется',
  ukrainian:
    'немає даних|немає інформації|немає|невідомо|невідома|невідомий|не вказано|не зазначено|не визначено|відсутній|' +
    'відсутня|відсутнє|без назви',
  bulgarian:
    'неизвестен|няма данни|няма информация|няма|не е посочено|не е известно|липсва|неприложимо|без име|непосочено',
  hebrew: 'לא ידוע|לא ידועה|לא זמין|לא צוין|לא רלוונטי|לא קיים|אין|אין נתונים|אין מידע|אין שם|ללא שם|ללא|חסר',
  arabic:
    'غير معروف|غير معروفة|غير متوفر|غير متوفرة|غير متاح|غير محدد|غير محددة|غير مذكور|غير معلوم|غير موجود|لا يوجد|' +
    'لا توجد بيانات|لا توجد معلومات|لا ينطبق|لا شيء|بدون اسم|بدون|مجهول|مجهولة|لايوجد|لاتوجد|تجربة|تجريبي|اختبار|للتجربة',
  persian: 'نامشخص|ناشناخته|نامعلوم|ندارد|موجود نیست|بدون نام|اطلاعاتی موجود نیست|ثبت نشده',
  hindi: 'अज्ञात|उपलब्ध नहीं|लागू नहीं|ज्ञात नहीं|कोई नहीं|कोई नाम नहीं|जानकारी नहीं|नहीं',
  thai: 'ไม่ทราบ|ไม่ทราบชื่อ|ไม่มี|ไม่มีข้อมูล|ไม่มีชื่อ|ไม่ระบุ|ไม่ปรากฏ',
  vietnamese:
    'không rõ|không có|không xác định|không biết|không áp dụng|không có dữ liệu|không có tên|không có thông tin|' +
    'chưa rõ|chưa biết|chưa có|chưa xác định|chưa cập nhật',
  indonesian:
    'tidak diketahui|tidak ada|tidak ada data|tidak tersedia|tidak berlaku|tidak disebutkan|tanpa nama|belum ada|' +
    'belum diketahui|tiada|tiada maklumat|tiada nama',
  japanese:
    '不明|名称不明|会社名不明|社名不明|不詳|なし|ナシ|無し|無|名称なし|該当なし|該当無し|情報なし|データなし|記載なし|未定|' +
    '未入力|未設定|未登録|未記入|未確認|未詳|未取得|空欄|空白|非公開|わからない|分からない',
  chinese:
    '无|無|未知|不详|不詳|暂无|暫無|暂无数据|暫無資料|暂无信息|暂缺|无数据|無資料|無數據|无信息|无名称|没有|沒有|没有数据|空|空值|' +
    '待定|待补充|待補|待补|待確認|待确认|测试|測試|未填|未填写|未填寫|未提供|未命名|未说明|不适用|不適用|不清楚|不知道|缺失|缺|查无|查無',
  korean:
    '없음|미상|미정|모름|무|불명|알수없음|알 수 없음|해당없음|해당 없음|해당사항없음|해당사항 없음|정보없음|정보 없음|데이터없음|데이터 없음|' +
    '자료없음|자료 없음|이름없음|이름 없음|미입력|미확인|미기재|미등록|미지정|공란|공백',
}

/** Rows of ledgers without a company: cash, balances, suspense accounts, and `as above`. */
const ledgerTexts =
  'house account|house a/c|cash a/c|cash account|cash in hand|cash on hand|petty cash|petty cash a/c|petty cash account|' +
  'opening balance|closing balance|balance b/f|balance b/d|balance c/f|bal b/f|bal b/d|bal. b/f|bal. c/f|bal c/f|bal c/d|b/f|' +
  'c/f|brought forward|carried forward|balance brought forward|balance carried forward|balance brought down|old balance|' +
  'old balance b/f|old bal b/f|previous balance|prior balance|suspense a/c|suspense account|clearing account|round off|' +
  'rounded off|rounding off|rounding difference|same as above|as above|kasse|kassenkonto|barkasse|nebenkasse|portokasse|' +
  'anfangsbestand|anfangssaldo|eröffnungssaldo|endbestand|endsaldo|schlusssaldo|saldovortrag|übertrag|vortrag|' +
  'verrechnungskonto|zwischenkonto|wie oben|à nouveau|a nouveau|report à nouveau|solde à nouveau|solde initial|' +
  "solde d'ouverture|solde de clôture|solde final|solde précédent|solde reporté|petite caisse|compte caisse|compte d'attente|" +
  'comme ci-dessus|saldo anterior|saldo inicial|saldo final|saldo de apertura|saldo de cierre|caja|caja chica|caja general|' +
  'cuenta caja|cuenta puente|cuenta transitoria|persona física|ídem anterior|saldo de abertura|saldo de fecho|' +
  'saldo transportado|conta caixa|fundo de caixa|conta transitória|pessoa física|pessoa singular|saldo iniziale|saldo finale|' +
  'saldo di apertura|saldo di chiusura|saldo precedente|riporto|cassa|piccola cassa|conto cassa|conto sospesi|' +
  'conto transitorio|persona fisica|come sopra|beginsaldo|eindsaldo|openingssaldo|slotsaldo|kleine kas|kruisposten|' +
  'tussenrekening|ingående balans|ingående saldo|utgående balans|utgående saldo|handkassa|observationskonto|primosaldo|' +
  'primo saldo|ultimosaldo|åbningssaldo|inngående balanse|inngående saldo|utgående balanse|alkusaldo|loppusaldo|käteiskassa|' +
  'pikkukassa|saldo początkowe|saldo końcowe|bilans otwarcia|bilans zamknięcia|z przeniesienia|do przeniesienia|jak wyżej|' +
  'počáteční stav|počáteční zůstatek|konečný stav|konečný zůstatek|pokladna|pokladňa|počiatočný stav|počiatočný zostatok|' +
  'konečný zostatok|nyitó egyenleg|záró egyenleg|nyitó tétel|pénztár|házipénztár|sold inițial|sold final|sold precedent|' +
  'report sold|početno stanje|početni saldo|završno stanje|završni saldo|blagajna|začetno stanje|začetni saldo|končno stanje|' +
  'почетно стање|благајна|начално салдо|крайно салдо|каса|algsaldo|lõppsaldo|sākuma atlikums|beigu atlikums|pradinis likutis|' +
  'galutinis likutis|ταμείο|υπόλοιπο έναρξης|αρχικό υπόλοιπο|τελικό υπόλοιπο|από μεταφορά|σε μεταφορά|προηγούμενο υπόλοιπο|' +
  'açılış bakiyesi|kapanış bakiyesi|devir bakiyesi|devreden bakiye|devreden|önceki bakiye|nakit kasa|сальдо начальное|' +
  'сальдо конечное|начальное сальдо|конечное сальдо|сальдо на начало|сальдо на конец|входящее сальдо|исходящее сальдо|' +
  'входящий остаток|исходящий остаток|начальный остаток|конечный остаток|касса|операционная касса|подотчетные лица|' +
  'подотчётные лица|подотчетное лицо|подотчётное лицо|физ. лицо|физ.лицо|физ лицо|физ. лица|физ.лица|физлица|физические лица|' +
  'частные лица|розница|ввод остатков|ввод начальных остатков|то же|сальдо початкове|сальдо кінцеве|початкове сальдо|' +
  'кінцеве сальдо|початковий залишок|підзвітні особи|підзвітна особа|фіз. особа|фізичні особи|фізособи|бастапқы сальдо|' +
  'бастапқы қалдық|соңғы қалдық|жеке тұлға|жеке тұлғалар|есеп беруге тиісті тұлғалар|jismoniy shaxs|jismoniy shaxslar|' +
  "chakana xaridor|boshlang'ich qoldiq|yakuniy qoldiq|жисмоний шахс|жеке адам|رصيد افتتاحي|الرصيد الافتتاحي|رصيد أول المدة|" +
  'رصيد آخر المدة|الرصيد السابق|رصيد سابق|رصيد مرحل|الرصيد الختامي|الصندوق|صندوق النقدية|حساب معلق|حساب وسيط|مانده از قبل|' +
  'مانده اول دوره|مانده افتتاحیه|نقد صندوق|تنخواه گردان|ابتدائی بیلنس|سابقہ بیلنس|پچھلا بیلنس|نقد کھاتہ|יתרת פתיחה|יתרת סגירה|' +
  'יתרה קודמת|קופה קטנה|קופה|प्रारंभिक शेष|आरंभिक शेष|अंतिम शेष|पिछला शेष|नकद खाता|रोकड़|उचंत खाता|প্রারম্ভিক জের|নগদ হিসাব|' +
  'ยอดยกมา|ยอดยกไป|เงินสดย่อย|เงินสดในมือ|số dư đầu kỳ|số dư cuối kỳ|quỹ tiền mặt|saldo awal|saldo akhir|baki awal|' +
  'baki bawa ke hadapan|tunai runcit|前期繰越|次期繰越|繰越残高|前月繰越|次月繰越|期首残高|期末残高|小口現金|仮勘定|同上|' +
  '期初余额|期初餘額|期末余额|期末餘額|上期结转|上期結轉|结转下期|库存现金|庫存現金|零用金|备用金|備用金|전기이월|차기이월|' +
  '이월잔액|전월이월|기초잔액|기말잔액|소액현금|위와 같음'

/** Texts for a missing value, as pivot tables write them: only in brackets, since `Leer` is also a town. */
const bracketedTexts = headerWords.bracketedTexts

/** Spreadsheet errors in several languages, folded, without the final sign. */
const spreadsheetErrors = headerWords.spreadsheetErrors

/** Rows for customers without a name, with their two words in any order: `Client divers`, `Divers clients`. */
const collectives = headerWords.collectives
  .split('|')
  .flatMap((text) => [text, text.replace(/^(\S+) (\S+)$/, '$2 $1')])
const others = [...Object.values(headerWords.emptyCells), ...collectives, ledgerTexts]
/** Remarks that a record is no longer used, which lists write in place of a name. */
const outOfUse = toTextSet(headerWords.recordsOutOfUse)
const remarkCharsMax = 80

/** Whether a cell has nothing but such remarks, with signs and numbers: `NE KORISTITI - duplikat`, `Duplicate of 4711`. */
function isOutOfUse(cell: string): boolean {
  if (cell.length > remarkCharsMax) return false
  const parts = cell
    .replace(/(?<!\p{L})x{3,}(?!\p{L})/giu, '*')
    .split(/(?:[^\p{L}\p{M}'’ ]|\s-+\s)+/u)
    .map(foldCell)
  const remarks = parts.filter((part) => /\p{L}/u.test(part))
  return remarks.length > 0 && remarks.every((part) => outOfUse.has(part))
}
const missing = toTextSet([...Object.values(missingTexts), ...others].join('|'))
const missingInBrackets = toTextSet(bracketedTexts)
const errors = toTextSet(spreadsheetErrors)
/** Latvian "none"; in capitals it is a name. */
const lowerCaseTexts = toTextSet(headerWords.lowerCaseTexts)
const collectiveTexts = toTextSet(collectives.filter((text) => text.includes(' ')).join('|'))

/** Whether a customer without a name has a place or a number, or several names: `Cash Customer - Kololo`. More words may be a name. */
function isPlacedCollective(cell: string): boolean {
  const [text = '', place = '', ...others] = cell.split(/\s[\p{Pd}/]+\s|[,:;(|]/u).map(foldCell)
  if (place !== '' && [text, place, ...others].every((part) => missing.has(part))) return true
  return others.length === 0 && /^[\p{L}\p{M}]{3,}\)?$|^\p{Nd}+\)?$/u.test(place) && collectiveTexts.has(text)
}
const textCharsMax = Math.max(...[...missing, ...missingInBrackets, ...errors].map(({ length }) => length))

/** Longest cell to check: the longest text, with punctuation around it. */
const cellCharsMax = textCharsMax + 20

/** Repeated filler characters (`xxx`, `000`, `9999999999999`, Portugal's `999999990`, `0.00`), and errors of LibreOffice (`Err:502`). */
const fillers = /^(?:x{3,}|0+(?:[.,]0+)?|9{7,}0?|err:\d{3})$/

/** The same as above, as ledgers write it; `DO` without signs is a name and a country. */
const dittos = /^\s*[\p{Pd}"“”.]+\s*do\s*[\p{Pd}"“”.]+\s*$/iu

/**
 * Whether a cell states that its value is missing: a word for that in one of forty languages, a spreadsheet error, or
 * only punctuation. The whole cell must match: `Unknown Worlds` is a name. False for a blank cell.
 */
export function isPlaceholder(cell: string): boolean {
  if (!/[\p{L}\p{N}\p{So}]/u.test(cell)) return /[\p{P}\p{S}]/u.test(cell)
  if (isOutOfUse(cell)) return true
  if (cell.length > cellCharsMax) return false
  const text = foldCell(cell)
  const bare = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, '')
  if (missing.has(text) || missing.has(bare) || isPlacedCollective(cell)) return true
  if (lowerCaseTexts.has(cell.trim())) return true
  if (fillers.test(bare) || dittos.test(cell)) return true
  if (/^[(<[{【『「〈《]/u.test(text) && missingInBrackets.has(bare)) return true
  return text.startsWith('#') && errors.has(`#${bare}`)
}

const noNumbers = new Set(toHeaderKeys(headerWords.noNumbers))

/** Whether a cell of a column of numbers has a word or a filler in place of a number: `C/F`, `en trámite`, `999999-9`. */
export const isWithoutNumber = (cell: string): boolean =>
  noNumbers.has(toHeaderKey(cell)) || /^(?:0+|9{6,})$/.test(cell.replace(/[\s.\-/]/g, ''))

/** Folds case, width, dashes and spaces of a cell. */
function foldCell(cell: string): string {
  return (
    cell
      .normalize('NFKC')
      .toLowerCase()
      // The lower case of the Turkish capital İ has a combining dot.
      .replaceAll('i\u0307', 'i')
      .replace(/\p{Cf}/gu, '')
      .replace(/[\s\p{Cc}\p{Pd}_]+/gu, ' ')
      .replace(/ ?\/ ?/g, '/')
      .trim()
  )
}

/** Returns each text of a list, with and without its accents. */
function toTextSet(list: string): ReadonlySet<string> {
  const texts = list.split('|').map((text) => text.replaceAll('_', ' '))
  return new Set([...texts, ...texts.map(removeAccents)])
}

/** Removes the accents of Latin, Greek and Cyrillic letters. In other scripts, marks are letters and stay. */
function removeAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ı', 'i')
    .replaceAll('đ', 'd')
    .normalize('NFC')
}

/** A question to the service. Rows with equal questions share one lookup, which is billed once. */
export interface Lookup {
  name: string
  location: string | null
  context: string | null
}

/** A lookup's number in the checkpoint: 1 to 2^32 - 2. */
export type LookupId = number

export type Identified = { kind: 'lookup'; lookup: Lookup } | { kind: 'invalid'; reason: string }

/** Longest values to submit. A longer one would be billed and not be found. */
export const lookupCharsMax = { name: 500, location: 1_000, context: 4_000 } as const

/** Characters without a shape, like soft hyphens, Hangul fillers, direction marks and the blank of Braille. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu

/** Longest placeholder shown in a reason; only rows of dashes are longer. */
const shownCharsMax = 60

/**
 * Creates the lookup of a row from its cells. A placeholder (`n/a`) is not a name. Location and context cells are
 * joined with ", "; blank ones are omitted.
 */
export function identify(
  name: string | null,
  location: readonly (string | null)[],
  context: readonly (string | null)[],
): Identified {
  const lookup: Lookup = {
    name: normalizeText(name ?? ''),
    location: join(location),
    context: join(context),
  }
  const chars = Array.from(lookup.name.replace(invisible, '').trim()).length
  if (chars === 0) return { kind: 'invalid', reason: 'no company name' }
  if (isPlaceholder(lookup.name)) {
    const shown = lookup.name.length > shownCharsMax ? `${lookup.name.slice(0, shownCharsMax)}…` : lookup.name
    return { kind: 'invalid', reason: `"${shown}" says that there is no name` }
  }
  if (chars < fieldLimits.nameCharsMin) {
    return {
      kind: 'invalid',
      reason: `the name has ${chars} character; at least ${fieldLimits.nameCharsMin} are needed`,
    }
  }
  for (const field of ['name', 'location', 'context'] as const) {
    if ((lookup[field]?.length ?? 0) > lookupCharsMax[field]) {
      return { kind: 'invalid', reason: `the ${field} is longer than ${lookupCharsMax[field]} characters` }
    }
  }
  return { kind: 'lookup', lookup }
}

/**
 * Returns the identity of a lookup, independent of case, width and spaces; its hash is the key in the checkpoint.
 * `occurrence` (from 0) distinguishes equal lookups if each row is submitted separately. The leading number is the
 * version of this format: it may only change together with a migration.
 */
export function toIdentityText(lookup: Lookup, occurrence: number): string {
  return JSON.stringify([
    1,
    foldText(lookup.name),
    foldText(lookup.location),
    foldText(lookup.context),
    occurrence,
  ])
}

/** Folds case, width and spaces of a text. */
export function foldText(text: string | null): string {
  return text === null ? '' : normalizeText(text.normalize('NFKC').toLowerCase())
}

/** Returns one line with single spaces, no control characters, composed letters, well-formed. */
function normalizeText(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      // oxlint-disable-next-line no-control-regex -- control characters are never part of a name
      .replace(/[\s\x00-\x1f\x7f-\x9f\u200b\ufeff]+/g, ' ')
      .trim()
  )
}

function join(parts: readonly (string | null)[]): string | null {
  const joined = parts
    .map((part) => normalizeText(part ?? ''))
    .filter((part) => part !== '')
    .join(', ')
  return joined === '' ? null : joined
}
