import type { LeiAddress, LeiName, LeiRecord } from './gleif-record.js'
import { listOf, member, parseJson, textOf } from './json-items.js'

/** A record of the golden copy as JSON, where every text stands under "$"; null for what is none. */
export function leiOfJson(text: string): LeiRecord | null {
  const record = parseJson(text)
  const entity = member(record, 'Entity')
  if (typeof entity !== 'object' || entity === null) return null
  const authority = member(entity, 'RegistrationAuthority')
  const form = member(entity, 'LegalForm')
  return {
    lei: valueOf(record, 'LEI'),
    legalName: valueOf(entity, 'LegalName'),
    otherNames: [
      ...namesOf(entity, 'OtherEntityNames', 'OtherEntityName'),
      ...namesOf(entity, 'TransliteratedOtherEntityNames', 'TransliteratedOtherEntityName'),
    ],
    headquarters: addressOf(member(entity, 'HeadquartersAddress')),
    legalAddress: addressOf(member(entity, 'LegalAddress')),
    authority: valueOf(authority, 'RegistrationAuthorityID'),
    authorityNumber: valueOf(authority, 'RegistrationAuthorityEntityID'),
    jurisdiction: valueOf(entity, 'LegalJurisdiction'),
    category: valueOf(entity, 'EntityCategory'),
    formCode: valueOf(form, 'EntityLegalFormCode'),
    formText: valueOf(form, 'OtherLegalForm'),
    status: valueOf(entity, 'EntityStatus'),
    createdOn: valueOf(entity, 'EntityCreationDate'),
    successorLei: successorOf(entity),
    registrationStatus: valueOf(member(record, 'Registration'), 'RegistrationStatus'),
  }
}

function valueOf(block: unknown, key: string): string | null {
  return textOf(member(member(block, key), '$'))
}

function successorOf(entity: unknown): string | null {
  const found = member(entity, 'SuccessorEntity')
  const [first] = Array.isArray(found) ? (found as unknown[]) : [found]
  return valueOf(first, 'SuccessorLEI')
}

function namesOf(entity: unknown, listKey: string, key: string): LeiName[] {
  return listOf(member(member(entity, listKey), key)).flatMap((entry) => {
    const name = textOf(member(entry, '$'))
    return name === null ? [] : [{ name, type: textOf(member(entry, '@type')) }]
  })
}

function addressOf(block: unknown): LeiAddress {
  const more = listOf(member(block, 'AdditionalAddressLine')).map((line) => textOf(member(line, '$')))
  return {
    lines: [valueOf(block, 'FirstAddressLine'), ...more].filter((line) => line !== null),
    number: valueOf(block, 'AddressNumber'),
    numberWithinBuilding: valueOf(block, 'AddressNumberWithinBuilding'),
    city: valueOf(block, 'City'),
    region: valueOf(block, 'Region'),
    country: valueOf(block, 'Country'),
    postalCode: valueOf(block, 'PostalCode'),
  }
}
