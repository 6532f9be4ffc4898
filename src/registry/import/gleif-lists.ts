import { countryCodeOf } from '../../core/countries.js'
import type { FileFormat } from '../model/import-item.js'
import { tableFormat, type Table } from './table.js'

const authorityColumns = {
  code: 'Registration Authority Code',
  countryCode: 'Country Code',
  register: 'International name of Register',
  localRegister: 'Local name of Register',
  organization: 'International name of organisation responsible for the Register',
  localOrganization: 'Local name of organisation responsible for the Register',
  website: 'Website',
} as const

/** `gleif-authorities`: the list of registration authorities, Excel or CSV: names for the codes that records bear. */
export const gleifAuthorities = listFormat({
  what: 'list of registration authorities of GLEIF',
  required: [authorityColumns.code],
  wanted: Object.values(authorityColumns).slice(1),
  read(row, line) {
    const code = row.text(authorityColumns.code) ?? ''
    if (!/^RA\d{6}$/.test(code)) {
      return { kind: 'rejected', line, reason: `"${code.slice(0, 20)}" is no code of an authority` }
    }
    const country = row.text(authorityColumns.countryCode)
    const countryCode = country === null ? null : countryCodeOf(country)
    const facts = {
      name: row.text(authorityColumns.register) ?? row.text(authorityColumns.localRegister),
      organization: row.text(authorityColumns.organization) ?? row.text(authorityColumns.localOrganization),
      jurisdiction: countryCode?.toLowerCase() ?? null,
      countryCode,
      website: row.text(authorityColumns.website)?.split(/\s/, 1)[0] ?? null,
    }
    return { kind: 'code', line, scheme: 'registration_authority', code, facts }
  },
})

const formColumns = {
  code: 'ELF Code',
  countryCode: 'Country Code (ISO 3166-1)',
  name: 'Entity Legal Form name Local name',
  transliterated: 'Entity Legal Form name Transliterated name (per ISO 01-140-10)',
  abbreviations: 'Abbreviations Local language',
  transliteratedAbbreviations: 'Abbreviations transliterated',
} as const

/**
 * `gleif-legal-forms`: the list of ISO 20275 as CSV: names for the codes of legal forms. A code that stands
 * in several lines, once a language, keeps the first.
 */
export const gleifLegalForms = listFormat({
  what: 'list of entity legal forms (ISO 20275)',
  required: [formColumns.code, formColumns.name],
  wanted: Object.values(formColumns).filter(
    (column) => column !== formColumns.code && column !== formColumns.name,
  ),
  read(row, line) {
    const code = row.text(formColumns.code) ?? ''
    if (!/^[A-Z0-9]{4}$/.test(code)) {
      return { kind: 'rejected', line, reason: `"${code.slice(0, 20)}" is no code of a legal form` }
    }
    const name = row.text(formColumns.transliterated) ?? row.text(formColumns.name)
    if (name === null) return { kind: 'skipped', line }
    const abbreviations =
      row.text(formColumns.transliteratedAbbreviations) ?? row.text(formColumns.abbreviations)
    const facts = { name, abbreviations, countryCode: row.text(formColumns.countryCode) }
    return { kind: 'code', line, scheme: 'legal_form', code, facts }
  },
})

function listFormat(table: Table): FileFormat {
  return tableFormat(table, { mayBeSheet: true })
}
