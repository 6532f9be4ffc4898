import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { candidatesMax, type Candidate } from './candidate.js'

/** What most candidates have in common; a part of the form, so it never changes. */
const dictionary = Buffer.from(
  '[{"entityId":null,"legalEntityId":"le_","name":null,"legalName":"","otherNames":[],"status":"inactive","place":"","countryCode":"US","jurisdiction":"GB","identifiers":[{"type":"registration_id","value":""},{"type":"lei","value":""},{"type":"cik","value":""}],"confidence":null,"evidence":[{"label":"legal form","text":"the same legal form","weight":-1.},{"label":"place","text":"the same town","weight":2.},{"label":"name","text":"the same name","weight":null}],"url":"https://"},{"entityId":"siq_","legalEntityId":"le_","name":"","legalName":"","otherNames":[],"status":"active","place":',
)

/** Of a text that is packed; more is no list of candidates. */
const textBytesMax = 16 * 1024 * 1024

/** As the store keeps them: JSON, deflated; nothing for none, as most doubtful lookups have. */
export function packCandidates(candidates: readonly Candidate[]): Uint8Array {
  if (candidates.length === 0) return new Uint8Array()
  return deflateRawSync(JSON.stringify(candidates.slice(0, candidatesMax)), { level: 1, dictionary })
}

/** Null where it is nothing that was packed: candidates can be looked for again. */
export function unpackCandidates(packed: Uint8Array): readonly Candidate[] | null {
  if (packed.length === 0) return []
  try {
    const text = inflateRawSync(packed, { dictionary, maxOutputLength: textBytesMax }).toString('utf8')
    return JSON.parse(text) as readonly Candidate[]
  } catch {
    return null
  }
}
