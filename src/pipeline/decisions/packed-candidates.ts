import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { candidatesMax, type Candidate } from './candidate.js'

/** What most candidates have in common, the commonest last; a part of the form, so it never changes. */
const dictionary = Buffer.from(
  [
    '[{"entityId":null,"legalEntityId":"le_","name":null,"legalName":null,"otherNames":[],"status":"inactive","place":null,"countryCode":null,"jurisdiction":null,"identifiers":[],"confidence":null,"evidence":[{"label":"for it","text":"The name is that of ","weight":null},{"label":"against it","text":"","weight":null},{"label":"identifier","text":"it bears LEI ","weight":null}',
    ',{"label":"brackets","text":"what stands in brackets may tell another company of that name","weight":-4',
    '},{"label":"context","text":"a word of the context is known of it","weight":1},{"label":"other registers","text":"","weight":0.',
    '},{"label":"kind of body","text":"not registered as a company (fund, ","weight":-0.308},{"label":"status","text":"not active (inactive)","weight":-1.5',
    '},{"label":"numbers","text":"the two names bear different numbers","weight":-',
    '},{"label":"spelling","text":"spelled otherwise: \\"","weight":-1.118},{"label":"kind of name","text":"a former name of ","weight":-0.687},{"label":"kind of name","text":"another name of ","weight":-2.379',
    '},{"label":"listed","text":"its shares are traded","weight":1.498},{"label":"known to registers","text":"registers state its LEI and its industry","weight":0.223',
    '},{"label":"legal form","text":"another legal form: \\"ltd\\", asked for \\"inc\\"","weight":-1.77},{"label":"legal form","text":"the same legal form: \\"ltd\\"","weight":0.636},{"label":"legal form","text":"its name states no legal form","weight":-',
    '},{"label":"place","text":"another country: United Kingdom","weight":-},{"label":"place","text":"another region: ","weight":0.44},{"label":"place","text":"nothing known of its place agrees; no town of it is known","weight":-1.892},{"label":"place","text":"the same region; it is in ","weight":-0.345},{"label":"place","text":"the same country: United States","weight":0.609},{"label":"place","text":"the same town: ","weight":1.622',
    '}],"url":"https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=000"},{"url":"https://search.gleif.org/#/record/"},{"url":"https://find-and-update.company-information.service.gov.uk/company/0"},',
    '{"entityId":"siq_","legalEntityId":"le_","name":"","legalName":" Limited","otherNames":["\',"],"status":"active","place":", United Kingdom","countryCode":"US","jurisdiction":"us_de","identifiers":[{"type":"ticker","value":""},{"type":"ein","value":""},{"type":"lei","value":""},{"type":"cik","value":"000"},{"type":"registration_id","value":""}],"confidence":',
    ',"evidence":[{"label":"name","text":"the name is the beginning of \\"","weight":-0.105},{"label":"name","text":"the name begins with \\"","weight":-0.021},{"label":"name","text":"the name is that of \\"","weight":1.207},{"label":"name","text":"the name is close to \\"","weight":-1.828',
    '},{"label":"words left over","text":"its name has \\", not asked for; \\" was asked for, which its name lacks","weight":-',
    '},{"label":"rare words","text":"only everyday words are in common; the rarest, \\"","weight":0.},{"label":"rare words","text":"the rarest word in common, \\"\\", is in 1 name of the registry","weight":4.',
    '},{"label":"others of the name","text":"no other company found bears this name; no other company\'s name has \\"","weight":3.315},{"label":"others of the name","text":"names of 2 companies begin so","weight":-0.',
    '},{"label":"other candidates","text":"\\" and others may be meant as well","weight":-},{"label":"other candidates","text":"\\" is likelier","weight":-',
    '},{"label":"start","text":"where the model starts for a text like this one, before it compares companies","weight":-0.',
  ].join(''),
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
