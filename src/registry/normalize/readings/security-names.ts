import { foldText } from '../normalize-name.js'
import type { Reading } from './reading.js'

/**
 * Abbreviations of lists of securities, beyond those that `canonicalWord` writes out. They are no words of the index:
 * a registered name may have one of them as a name.
 */
const words = new Map<string, string>(
  `advncd advanced, agricult agriculture, amern american, appld applied, assd assured, assur assurance,
  bancrp bancorp, bancshs bancshares, biopharm biopharmaceuticals, bkg banking, bldg building,
  bldrs builders, brdcst broadcasting, brdcstg broadcasting, cda canada, centy century,
  cmntys communities, commrl commercial, coml commercial, communs communications, comptr computer,
  cons consolidated, constr construction, constrn construction, contl continental, contls controls,
  ctls controls, ctrs centers, ctzns citizens, devlpmt development, diag diagnostics, distrg distributing,
  distrs distributors, diversifd diversified, drlg drilling, edl educational, educ education,
  electr electronics, electrs electronics, emerg emerging, engr engineering, engrd engineered,
  entmt entertainment, entmnt entertainment, envir environmental, environmentl environmental,
  environmtl environmental, eqty equity, exch exchange, expl exploration, fltg floating, fndtn foundation,
  fst first, glbl global, globl global, grwth growth, gty guaranty, hlth health, hlthcare healthcare,
  hlthcr healthcare, hosps hospitals, hsg housing, incm income, indl industrial, indpt independent,
  infra infrastructure, infrastr infrastructure, infrastrctre infrastructure, instl institutional,
  instrs instruments, interactv interactive, internatl international, invs investors, invst investment,
  ltg lighting, machs machines, machy machinery, matl material, matls materials, mchs machines,
  metr metropolitan, mfd manufactured, mfr manufacturer, mng mining, mtls materials, mtn mountain,
  mtr motor, mtrs motors, mun municipal, mut mutual, nat national, netwk network, netwrk network,
  northn northern, ntwk network, offshr offshore, oppor opportunity, oppty opportunity, opp opportunity,
  pac pacific, packg packaging, pharmactcl pharmaceutical, pipeln pipeline, pkg packaging,
  prodtn production, prtnrs partners, pubg publishing, regl regional, resh research, rtl retail,
  ry railway, rys railways, scientfc scientific, scientifc scientific, secs securities,
  semicndtr semiconductor, semicond semiconductor, sftwr software, softwre software, solutns solutions,
  southn southern, southwestn southwestern, southwst southwest, spl special, splty specialty,
  std standard, stl steel, strs stores, subn suburban, surg surgical, technlgy technology,
  technol technology, tel telephone, telecommunicatns telecommunications, teleph telephone,
  therapeutcs therapeutics, therap therapeutics, transn transportation, transprt transport,
  transpt transport, travelctrs travelcenters, utd united, utils utilities, vy valley, westn western,
  whsl wholesale, whse warehouse, wireles wireless, wks works, wldwd worldwide, worldwd worldwide,
  wstn western, wtr water, wtrs waters`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

/** The title of the class after the issuer: "COM", "SHS NEW", "SPONSORED ADR", "CL A". Lists write it in capitals. */
const classTitle =
  /\s+(?:(?:SPON(?:SORED)? )?(?:COM|COMMON|SHS|ORD|AD[RS]|STK|SH BEN INT|UNIT LTD PARTN?)\b(?: (?:SHS|STK|NEW|CL [A-Z]|PAR|UNIT))*|CL [A-C](?: (?:COM|SHS|NEW|STK))*)$/
/** SEC's list of 13(f) securities gives a name so many characters. */
const issuerChars = 28
/** A legal form of which the column left a piece. */
const formPiece = / (?:I|IN|L|LT|C|CO|COR)$/

/** An issuer as lists of securities write it: without the class, words written out. */
export function readSecurityName(text: string): Reading[] {
  const issuer = text.replace(classTitle, '')
  const isFull = issuer.length === issuerChars || issuer.length === issuerChars - 1
  const head = isFull ? issuer.replace(formPiece, '') : issuer
  const folded = foldText(head)
  const written = folded.split(' ').map((word) => words.get(word) ?? word)
  const isAbbreviated = written.join(' ') !== folded
  if (!isAbbreviated && head === text) return []
  // Unfolded where it can be: legal forms may need their punctuation.
  const name = isAbbreviated ? written.join(' ') : head
  const columnChars = isFull ? issuerChars + name.length - head.length : null
  const how = isAbbreviated ? 'with abbreviations written out' : 'without the class of the security'
  return [{ text: name, kind: isAbbreviated || isFull ? 'whole' : 'security', how, columnChars }]
}
