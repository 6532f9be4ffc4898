import { plural } from '../../core/text.js'
import type { IdentifierKey } from './identifier-columns.js'

/** What a row's identifier may be that it should not be; it is not asked. */
export type IdentifierFault = Exclude<IdentifierKey, 'lei'> | 'lei_form' | 'lei_checksum'

/** Why a row that has nothing else asks nothing. */
export const faultReasons: Readonly<Record<IdentifierFault, string>> = {
  lei_checksum: 'the LEI has wrong check digits',
  lei_form: 'the LEI does not have the form of one',
  cik: 'the CIK is no number of at most ten digits',
  registration_id: 'the company number does not have the form of one',
  ein: 'the EIN does not have nine digits',
  bic: 'the BIC does not have the form of one',
  ticker: 'the ticker is not one symbol',
  website: 'the website is no domain',
  email: 'the e-mail address has no domain',
}

/** What rows hold that were asked without it. */
const heldTexts: Readonly<Record<IdentifierFault, string>> = {
  lei_checksum: 'an LEI with wrong check digits',
  lei_form: 'an LEI that does not have the form of one',
  cik: 'a CIK that is no number of at most ten digits',
  registration_id: 'a company number that does not have the form of one',
  ein: 'an EIN without nine digits',
  bic: 'a BIC that does not have the form of one',
  ticker: 'a ticker that is not one symbol',
  website: 'a website that is no domain',
  email: 'an e-mail address without a domain',
}

const namedRowsMax = 3

/** Counts what is not as it should be, and rows that ask without a name. */
export class IdentifierCounts {
  readonly #faults = new Map<IdentifierFault, { count: number; rowNumbers: number[] }>()
  #byIdentifier = 0
  #byDomain = 0

  /** `rowNumber`: from 1. */
  add(
    row: { kind: 'resolution' | 'domain'; byIdentifier?: boolean; faults: readonly IdentifierFault[] },
    rowNumber: number,
  ): void {
    if (row.byIdentifier === true) this.#byIdentifier++
    if (row.kind === 'domain') this.#byDomain++
    for (const fault of new Set(row.faults)) {
      const counted = this.#faults.get(fault) ?? { count: 0, rowNumbers: [] }
      counted.count++
      if (counted.rowNumbers.length < namedRowsMax) counted.rowNumbers.push(rowNumber)
      this.#faults.set(fault, counted)
    }
  }

  /** Sentences for the user; `isBilled` where a service is asked by names and bills each. */
  notes(isBilled: boolean): string[] {
    return [
      ...[...this.#faults].map(([fault, { count, rowNumbers }]) => {
        const more = count > rowNumbers.length ? ', …' : ''
        const which = `${rowNumbers.length === 1 ? 'row' : 'rows'} ${rowNumbers.join(', ')}${more}`
        return `${rows(count)} ${heldTexts[fault]} (${which}): asked without it`
      }),
      ...(this.#byDomain === 0 ? [] : [`${rows(this.#byDomain)} no name: asked by domain`]),
      ...(this.#byIdentifier === 0
        ? []
        : [
            `${rows(this.#byIdentifier)} no name: asked${isBilled ? ', and billed,' : ''} by identifiers in place of one`,
          ]),
    ]
  }
}

const rows = (count: number): string => plural(count, 'row holds', 'rows hold')
