import { hasOtherThanAscii, removeJoiningWords } from './normalize-name.js'
import type { LegalForm } from '../../contract/enums.js'

/** Class of a legal form. `company` is a weak word ("Co"); different other classes mean different registrations. */
export type FormClass =
  | 'limited'
  | 'stock'
  | 'partnership'
  | 'sole_trader'
  | 'cooperative'
  | 'association'
  | 'foundation'
  | 'company'

export interface LegalFormEntry {
  readonly words: readonly string[]
  readonly formClass: FormClass
  readonly legalForm: LegalForm | null
  /** ISO 3166-1 codes of the countries that have the form; empty if not distinctive. */
  readonly countries: readonly string[]
  /** Precedes the name ("PT Astra", "OOO Romashka"). */
  readonly leading: boolean
  /** A form only as the last word, after no other form: "Acme KY", but not "Acme KY Ltd" or "Acme Inc KY". */
  readonly closing: boolean
}

/**
 * `spellings : class : value of facets.legal_form, or - : countries`; `<` marks a leading form, `$` a closing one. CC,
 * DA, KS, NL, PSA, SD, KEG and teo are missing because they are too often words of names.
 */
const table = `
limited, ltd : limited : llc : GB IE IN PK BD LK NP SG MY HK AU NZ ZA CA US NG GH KE UG TZ ZM ZW MT CY IL JE GG IM GI VG KY BM BB JM TT BS MU SC CN JP KR TW TH CH AE VC WS MH LR KN
ltda, limitada : limited : llc : BR CO CL EC PE BO CR GT PY HN PT
private limited, pvt ltd, private ltd, pvt limited : limited : llc : IN PK BD LK NP SG MV ZW
pte ltd, pte limited : limited : llc : SG FJ
pty ltd, pty limited, proprietary limited, proprietary ltd : limited : llc : AU ZA BW NA SZ LS
llc, <limited liability company, limited liability co, lc, llc co : limited : llc : US PR AE QA SA OM BH EG RU UA KZ UZ GE AM AZ MN MH KN
pllc, professional limited liability company : limited : pllc : US
plc, public limited company, public ltd company, ccc : stock : corporation : GB IE JE GG IM GI MT CY NG GH KE ZM ZW LK BD ET TH
dac, designated activity company : limited : llc : IE
inc, incorporated, incorp, corp, corporation, corporations, inc corp : stock : corporation : US CA PR PH JP KR TW PA LR MH VG KY
pc, professional corporation : stock : pc : US
co, company, compagnie, cie, compania, companhia, cia : company : - :
na, national association : association : corporation : US
lp, limited partnership : partnership : lp : US GB CA IE JE GG KY BM LU VG SG
llp, limited liability partnership : partnership : llp : US GB CA IN SG MY JE GG IE JP
lllp, limited liability limited partnership : partnership : lp : US
rllp, registered limited liability partnership : partnership : llp : US
lca, limited cooperative association : cooperative : cooperative : US
ulc, unlimited liability company, unlimited : limited : - : CA IE GB
gmbh, gesellschaft mit beschraenkter haftung, gesellschaft mit beschrankter haftung, ggmbh, gmbh mbh, mbh : limited : llc : DE AT CH LI LU IT
ug, ug haftungsbeschrankt, unternehmergesellschaft : limited : llc : DE
ag, aktiengesellschaft : stock : corporation : DE AT CH LI LU
se, societas europaea : stock : corporation : AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK GB
kgaa, ag co kgaa, se co kgaa, gmbh co kgaa, kommanditgesellschaft auf aktien : partnership : - : DE
kg, gmbh co kg, ag co kg, se co kg, gmbh co, kommanditgesellschaft : partnership : lp : DE AT
ohg, gmbh co ohg, offene handelsgesellschaft : partnership : gp : DE AT
$gbr, gesellschaft burgerlichen rechts : partnership : gp : DE
partg, partnerschaftsgesellschaft : partnership : gp : DE
partgmbb, partg mbb, part mbb, partnerschaft mbb, partnerschaftsgesellschaft mbb, $mbb : partnership : llp : DE
eingetragener kaufmann, eingetragene kauffrau, ekfm, e kfm, ekfr, e kfr, ekffr, e kffr : sole_trader : sole_proprietorship : DE
vvag, versicherungsverein auf gegenseitigkeit : association : - : DE
invag, investmentaktiengesellschaft : stock : corporation : DE
gesmbh, ges mbh : limited : llc : AT
$oeg, offene erwerbsgesellschaft, gesbr, gesnbr : partnership : gp : AT
kommanditerwerbsgesellschaft, kommandit erwerbsgesellschaft : partnership : lp : AT
eingetragener unternehmer, eingetragene unternehmerin : sole_trader : sole_proprietorship : AT
ev, eingetragener verein : association : - : DE
eg, eingetragene genossenschaft, genossenschaft : cooperative : cooperative : DE CH AT
sa, <societe anonyme, <sociedad anonima, <sociedade anonima, <societa anonima, <societate pe actiuni : stock : corporation : FR BE LU CH ES PT IT GR RO PL AR BR CL CO PE UY PY BO EC VE PA CR GT HN SV NI DO MX MA TN DZ SN CI CM GA CD MC HT LI
<sas, <sasu, <societe par actions simplifiee, sociedad por acciones simplificada : stock : corporation : FR CO AR EC UY DO MX MC IT SN CI
<sarl, <societe a responsabilite limitee, sarlu, eurl : limited : llc : FR LU CH BE MA TN DZ SN CI CM MC LB
snc, societe en nom collectif : partnership : gp : FR IT
scs, societe en commandite simple : partnership : lp : FR LU
secs, scsp, secsp, societe en commandite speciale : partnership : lp : LU
sicav, sicaf, sicar : company : - : LU FR BE
ltee, limitee : limited : llc : CA
incorporee : stock : corporation : CA
societe en commandite : partnership : lp : CA
senc : partnership : gp : CA LU
sencrl, sencrl srl : partnership : llp : CA
sca, societe en commandite par actions : partnership : - : FR LU
spa, <societa per azioni : stock : corporation : IT CL DZ SM
<srl, <societa a responsabilita limitata, <sociedad de responsabilidad limitada, srls, <societate cu raspundere limitata, <societatea comerciala, <societatea cu raspundere limitata : limited : llc : IT ES RO AR BE MD MX PE UY PY BO CR DO SM VE
scarl, scrl, societa cooperativa : cooperative : cooperative : IT BE
sl, sociedad limitada, slu : limited : llc : ES
sau : stock : corporation : ES
sab, sab de cv, sa de cv, sapi de cv, sa b de cv, s de rl de cv, s de rl, srl de cv, sa de capital variable, sab de capital variable, sociedad anonima bursatil de capital variable : stock : corporation : MX
sociedade limitada, eireli : limited : llc : BR
lda, sgps sa, sgps, sgps lda : limited : llc : PT
bv, besloten vennootschap, bvba, bv srl : limited : llc : NL BE CW AW SX SR
nv, naamloze vennootschap, nv sa, sa nv : stock : corporation : NL BE CW AW SX SR
cv, vof : partnership : lp : NL
ua, coop ua, cooperatie ua : cooperative : cooperative : NL
ab, ab publ, aktiebolag, aktiebolaget, publ : stock : corporation : SE FI
as, asa, aksjeselskap, allmennaksjeselskap, aksjeselskabet, aktieselskab, aktieselskabet : stock : corporation : NO DK CZ EE TR
aps, anpartsselskab, $ivs, ivaerksaetterselskab : limited : llc : DK
<interessentskab : partnership : gp : DK
<kommanditselskab, aps co kommanditselskab : partnership : lp : DK
partnerselskab, kommanditaktieselskab : partnership : - : DK
$amba, $smba, $fmba : cooperative : cooperative : DK
$hb, ab co hb, handelsbolag, handelsbolaget : partnership : gp : SE
$kb, ab co kb, kommanditbolag, kommanditbolaget : partnership : lp : SE FI
ek for, ekonomisk forening : cooperative : cooperative : SE
$ans, ansvarlig selskap, selskap med delt ansvar : partnership : gp : NO
kommandittselskap : partnership : lp : NO
$enk, enkeltpersonforetak : sole_trader : sole_proprietorship : NO
$ky, kommandiittiyhtio : partnership : lp : FI
avoin yhtio : partnership : gp : FI
$osk, <osuuskunta : cooperative : cooperative : FI
oy, oyj, osakeyhtio, oy ab, oyj abp, abp, julkinen osakeyhtio : stock : corporation : FI
hf, ehf, ohf : stock : corporation : IS
sp zoo, sp zo o, spolka zoo, sp z oo, sp z o o, spzoo, spolka z ograniczona odpowiedzialnoscia : limited : llc : PL
spolka akcyjna, prosta spolka akcyjna : stock : corporation : PL
sp k, spolka komandytowa : partnership : lp : PL
sp j, spolka jawna : partnership : gp : PL
sp p, spolka partnerska : partnership : llp : PL
spolka komandytowo akcyjna, sp zoo ska, sp z oo ska : partnership : - : PL
sro, spol sro, spolocnost s rucenim obmedzenym, spolecnost s rucenim omezenym : limited : llc : CZ SK
akciova spolecnost, akciova spolocnost, akc spol : stock : corporation : CZ SK
komanditni spolecnost, komanditna spolocnost, kom spol : partnership : lp : CZ SK
verejna obchodni spolecnost, verejna obchodna spolocnost, ver obch spol : partnership : gp : CZ SK
kft, korlatolt felelossegu tarsasag : limited : llc : HU
nyrt, zrt, rt, nyilvanosan mukodo reszvenytarsasag, zartkoruen mukodo reszvenytarsasag : stock : corporation : HU
$bt, beteti tarsasag : partnership : lp : HU
kkt, kozkereseti tarsasag : partnership : gp : HU
kht, kozhasznu tarsasag : association : nonprofit_corp : HU
doo, jdoo, drustvo s ogranicenom odgovornoscu, druzba z omejeno odgovornostjo : limited : llc : HR SI RS BA
$kd, komanditno drustvo, komanditna druzba, komanditno druzhestvo : partnership : lp : HR SI RS BG
dno, druzba z neomejeno odgovornostjo, jtd, javno trgovacko drustvo, sabiratelno druzhestvo : partnership : gp : HR SI BG
dd, ad, dionicko drustvo : stock : corporation : HR SI RS BG
ood, eood : limited : llc : BG
ead : stock : corporation : BG
<uab, sia, ou, osauhing : limited : llc : LT LV EE
ae, anonymi etaireia, anonimi eteria : stock : corporation : GR
epe, ike : limited : llc : GR
as, anonim sirketi, anonim sirket, tas : stock : corporation : TR
limited sirketi, ltd sti : limited : llc : TR
<ooo, <obshchestvo s ogranichennoy otvetstvennostyu, <obschestvo s ogranichennoj otvetstvennostyu, <tov, <tzov, <tovarystvo z obmezhenoyu vidpovidalnistyu : limited : llc : RU UA BY
<oao, <pao, <zao, <ao, <nao, <pat, <prat, <pjsc, <ojsc, <jsc, <cjsc, <public joint stock company, <closed joint stock company, <joint stock company, aktsionernoe obshchestvo, <open joint stock company, <publichnoe aktsionernoe obshchestvo, <otkrytoe aktsionernoe obshchestvo, <zakrytoe aktsionernoe obshchestvo, <aktsionernoe tovarystvo : stock : corporation : RU UA KZ AE
saog, saoc, psc, pqsc, qpsc, qsc, kpsc, kscp, kscc, wll, bsc, fzco, fze, fz llc, sal, sae, saudi joint stock company : stock : corporation : AE SA QA KW BH OM EG LB
bhd, berhad : stock : corporation : MY
sdn bhd, sendirian berhad : limited : llc : MY
tbk, <pt, perseroan terbatas : stock : corporation : ID
pcl, public company limited : stock : corporation : TH CY
jsc, joint stock commercial bank, cong ty co phan, ctcp : stock : corporation : VN
kk, kabushiki kaisha, kabushiki gaisha : stock : corporation : JP
gk, godo kaisha, yk, yugen kaisha : limited : llc : JP
co ltd, company limited, company ltd, co limited, co inc, company inc, co pte ltd, co pty ltd, co corp, co llc, company llc, co lp, co plc, company plc, corp ltd, corporation limited, inc ltd, corporation ltd, pcl ltd : stock : corporation : JP CN KR TW TH HK VN SG MY IN GB IE US CA IL SA BM KY NG
scc, scca, cooperative, co op, coop, cooperativa : cooperative : cooperative :
stichting, stiftung, fondation, fundacion, fundacao, fondazione : foundation : - :
asbl, vzw, ry, onlus : association : nonprofit_corp : BE LU FI IT
cic, cio : association : nonprofit_corp : GB
$clg, company limited by guarantee : limited : - : IE
icav, irish collective asset management vehicle : stock : - : IE
teoranta : limited : llc : IE
cyf, cyfyngedig : limited : llc : GB
pty : limited : llc : AU ZA BW NA
no liability : stock : - : AU
close corporation : limited : - : ZA
$npc, non profit company : association : nonprofit_corp : ZA
$sac, sociedad anonima cerrada, $saa, sociedad anonima abierta : stock : corporation : PE
eirl, empresa individual de responsabilidad limitada : limited : llc : PE CL
eeig, ukeig, european economic interest grouping, ewiv, geie : association : - :
`

/** A form of more countries does not show where a company is from. */
const tellingCountriesMax = 20

/** Returns the countries of a form if they are few enough to locate a company, otherwise an empty list. */
export const getDistinctiveCountries = (countries: readonly string[]): readonly string[] =>
  countries.length > tellingCountriesMax ? [] : countries

function parseTable(): LegalFormEntry[] {
  const entries: LegalFormEntry[] = []
  for (const line of table.trim().split('\n')) {
    const [spellings = '', formClass = '', legalForm = '', countries = ''] = line
      .split(':')
      .map((part) => part.trim())
    for (const spelling of spellings.split(',').map((part) => part.trim())) {
      entries.push({
        words: removeJoiningWords(spelling.replace(/^[<$]/, '').split(' ')),
        formClass: formClass as FormClass,
        legalForm: legalForm === '-' ? null : (legalForm as LegalForm),
        countries: countries === '' ? [] : countries.split(' '),
        leading: spelling.startsWith('<'),
        closing: spelling.startsWith('$'),
      })
    }
  }
  return entries
}

const entries = parseTable()
const byLastWord = groupBy((entry) => entry.words.at(-1) ?? '')
const byFirstWord = groupBy((entry) => (entry.leading ? (entry.words[0] ?? '') : ''))
const byAnyFirstWord = groupBy((entry) => entry.words[0] ?? '')

function groupBy(getKey: (entry: LegalFormEntry) => string): Map<string, LegalFormEntry[]> {
  const groups = new Map<string, LegalFormEntry[]>()
  for (const entry of entries) {
    const group = groups.get(getKey(entry))
    if (group) group.push(entry)
    else groups.set(getKey(entry), [entry])
  }
  // The longest spelling wins: "GmbH & Co. KG" before "KG".
  for (const group of groups.values()) group.sort((a, b) => b.words.length - a.words.length)
  return groups
}

/** Returns the longest form that ends at index `end` of `words`, or `null`. */
export function findTrailingForm(words: readonly string[], end: number): LegalFormEntry | null {
  const last = words[end - 1]
  if (last === undefined) return null
  const isAtEnd = (entry: LegalFormEntry): boolean => {
    const from = end - entry.words.length
    if (!hasWordsAt(entry.words, words, from)) return false
    return !entry.closing || (end === words.length && findTrailingForm(words, from) === null)
  }
  return byLastWord.get(last)?.find(isAtEnd) ?? null
}

/** Returns the form at the beginning of `words`, or `null`. */
export function findLeadingForm(words: readonly string[]): LegalFormEntry | null {
  const first = words[0]
  if (first === undefined || first === '') return null
  return byFirstWord.get(first)?.find((entry) => hasWordsAt(entry.words, words, 0)) ?? null
}

/** Returns the longest form that begins at index `at` of `words`, or `null`; a closing one only at the end. */
export function findFormAt(words: readonly string[], at: number): LegalFormEntry | null {
  const known = byAnyFirstWord.get(words[at] ?? '')
  return (
    known?.find(
      (entry) =>
        hasWordsAt(entry.words, words, at) && (!entry.closing || at + entry.words.length === words.length),
    ) ?? null
  )
}

function hasWordsAt(form: readonly string[], words: readonly string[], from: number): boolean {
  return from >= 0 && form.every((word, index) => words[from + index] === word)
}

/** Not part of a longer word or of initials. */
const apart = String.raw`(?<![\p{L}\p{N}./])`

/** Forms that differ from words only by punctuation or capitals: without it "I/S" is "is". */
const writtenForms: readonly (readonly [pattern: RegExp, spelledOut: string])[] = [
  [new RegExp(String.raw`${apart}A\s?/\s?S(?![\p{L}\p{N}/])`, 'giu'), ' as '],
  [new RegExp(String.raw`${apart}I/S(?![\p{L}\p{N}/])`, 'giu'), ' interessentskab '],
  [new RegExp(String.raw`${apart}K/S(?![\p{L}\p{N}/])`, 'giu'), ' kommanditselskab '],
  [new RegExp(String.raw`${apart}P/S(?![\p{L}\p{N}/])`, 'giu'), ' partnerselskab '],
  [new RegExp(String.raw`${apart}(?:[eE]\.\s?[kK]|e\s?K)\.?\s*$`, 'u'), ' eingetragener kaufmann'],
  [new RegExp(String.raw`${apart}e\.?\s?U\.?\s*$`, 'u'), ' eingetragener unternehmer'],
]

/** Nearly no name has one of them: this test is fast, the patterns are not. */
const hasWrittenForm = /[aikp]\s?\/\s?s|e\.?\s?[ku]\.?\s*$/i

/** Writes out forms that folding would change into other words. `name` must be unfolded. */
export function expandForms(name: string): string {
  if (!hasWrittenForm.test(name)) return name
  return writtenForms.reduce((text, [pattern, spelledOut]) => text.replace(pattern, spelledOut), name)
}

interface NativeForm {
  readonly pattern: RegExp
  readonly formClass: FormClass
  readonly legalForm: LegalForm | null
}

/** Forms in other scripts, removed before transliteration, which reads Japanese kanji as Chinese. */
const nativeForms: readonly NativeForm[] = [
  { pattern: /株式会社|\(株\)|（株）|㈱/gu, formClass: 'stock', legalForm: 'corporation' },
  { pattern: /有限会社|合同会社|\(有\)|（有）|㈲/gu, formClass: 'limited', legalForm: 'llc' },
  { pattern: /合資会社|合名会社/gu, formClass: 'partnership', legalForm: null },
  { pattern: /股份有限公司|股份公司|股份有限公司/gu, formClass: 'stock', legalForm: 'corporation' },
  { pattern: /有限责任公司|有限責任公司|有限公司/gu, formClass: 'limited', legalForm: 'llc' },
  { pattern: /주식회사|\(주\)|（주）|㈜/gu, formClass: 'stock', legalForm: 'corporation' },
  { pattern: /유한회사|유한책임회사/gu, formClass: 'limited', legalForm: 'llc' },
  { pattern: /\(มหาชน\)/gu, formClass: 'stock', legalForm: 'corporation' },
  { pattern: /^บริษัท|จำกัด/gu, formClass: 'limited', legalForm: 'llc' },
  { pattern: /(?<=\s)СД(?=\s*$)|^СД(?=\s)/gu, formClass: 'partnership', legalForm: 'gp' },
  { pattern: /(?<=\s)КД(?=\s*$)|^КД(?=\s)/gu, formClass: 'partnership', legalForm: 'lp' },
  { pattern: /בע["״']*מ/gu, formClass: 'limited', legalForm: 'llc' },
  { pattern: /ش\.?\s?م\.?\s?[عمكل]\.?(?:\s?م\.?)?(?=\s|$)/gu, formClass: 'stock', legalForm: 'corporation' },
]

export interface NativeCut {
  readonly rest: string
  readonly form: { readonly formClass: FormClass; readonly legalForm: LegalForm | null } | null
}

/** Removes forms in non-Latin scripts from a name, unless nothing else would remain. */
export function cutNativeForms(name: string): NativeCut {
  let rest = name
  let form: NativeCut['form'] = null
  if (!hasOtherThanAscii.test(name)) return { rest, form }
  for (const native of nativeForms) {
    const cut = rest.replace(native.pattern, ' ')
    if (cut === rest || cut.trim() === '') continue
    rest = cut
    form ??= { formClass: native.formClass, legalForm: native.legalForm }
  }
  return { rest, form }
}
