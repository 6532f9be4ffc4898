import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * Compression dictionary for answers and their lines: keys in order, and frequent phrases, the most frequent last,
 * because close matches are cheaper. Contains no company data.
 * Stored answers can only be unpacked with it: it never changes once released. A new dictionary gets a new number.
 */
export const firstDictionary = [
  '"street_address":"","street_number":"","sub_premise":null,"city":"","state":"","state_code":"US-","postal_code":"',
  '"registration_authority":{"id":600,"code":"RA000600","name":"","organization":"","jurisdiction":"us_","country_code":"US","website":"https://www.',
  '"identifiers":[{"type":"registration_id","value":"","jurisdiction":"GB"},{"type":"lei","value":"5493","jurisdiction":null},{"type":"bic","value":"',
  '"},{"type":"ticker","value":"","jurisdiction":null},{"type":"ein","value":"","jurisdiction":"US"},{"type":"cik","value":"000',
  '"industry":{"schemes":{"naics_2022":[{"code":"","label":"","is_primary":false,"confidence":0}],"sic":[{"code":"","label":"","is_primary":true,"confidence":99}]}},"parent_entity":{"name":"',
  '"candidate":{"name":"","legal_name":"","jurisdiction":null,"status":null,"description":null,"primary_address":{"full_address":"","state_code":null,"country_code":"',
  '"type":"business","subtype":"complex_business_structure"',
  '{"code":"unsupported_entity_type","type":"limitation","description":"The registration is not a company\'s (business, ',
  '{"code":"name_too_generic","type":"limitation","description":"Other companies fit as well: ',
  '{"code":"location_match","type":"strength","description":"","impact":"medium"},{"code":"registry_agreement"',
  '{"code":"verify_entity_type","description":"Check that a business body is what was meant."}',
  '{"code":"verify_address","description":"Give the city or the postal code of the company."}',
  '{"code":"add_industry_context","description":"Say in the context what the company does."}',
  'United Kingdom, Germany, France, California, New York, Delaware, Texas, jurisdiction us_de; status active; registration id ',
  '","confidence":"medium","reasoning":"The authority that keeps the registration.',
  '{"field":"status","value":"active","confidence":"medium","reasoning":"Its shares are listed, and no newer source says that it has ended.","citations":[{"url":"https://www.',
  '{"field":"facets.sector","value":"public","confidence":"medium","reasoning":"Read from the type of the entity and its listed share.',
  '{"field":"primary_legal_entity.jurisdiction","value":"","confidence":"high","reasoning":"Where the registration is held.',
  '{"field":"industry.schemes.sic.0.code","value":"","confidence":"high","reasoning":"The code on the registration.',
  '{"field":"industry.schemes.sic.0.label","value":"","confidence":"medium","reasoning":"What the scheme calls the code.',
  '{"field":"headquarters.address.street_address","value":"","confidence":"high","reasoning":"Read out of the address on the registration.',
  '{"field":"headquarters.address.street_number"{"field":"headquarters.address.sub_premise"{"field":"headquarters.address.city"',
  '{"field":"headquarters.address.state"{"field":"headquarters.address.state_code","value":"","confidence":"high","reasoning":"ISO 3166-2 code of the state as written.',
  '{"field":"headquarters.address.postal_code","value":"","confidence":"high","reasoning":"From the address on the registration.","citations":[{"url":"https://',
  '{"field":"identifiers.1.value","value":"","confidence":"high","reasoning":"The registration bears this registration id, in canonical form.',
  '{"field":"facets.legal_form","value":"corporation","confidence":"high","reasoning":"Read from the legal form on the registration.',
  ' is a former name since 20","source_type":"company_website","authority_tier":2}]},{"field":"website","source_type":"public_profile"',
  '{"status":"matched","confidence":99,"entity_id":"siq_',
  '","display_name":"","legal_name":"","entity_status":"active","type":"business","subtype":"incorporated_entity","description":null,"website":null,"street_address":"","city":"","state":"","state_code":"","postal_code":"","country":"United States","country_code":"US","formatted_address":"","legal_entity_id":"le_',
  '","jurisdiction":"","registration_authority":"","registration_id":null,"lei":null,"cik":"000","ein":null,"duns":null,"bic":null,"ticker":null,"sector":null,"legal_form":"corporation","naics_code":null,"naics_label":null,"sic_code":null,"sic_label":null,"parent_name":null,"merged_into":null,"matching_branch":null,"candidate_name":null,"candidate_legal_name":null,"candidate_jurisdiction":null,"candidate_address":null,"factors":[',
  '{"code":"name_close_match","type":"strength","description":"The name is that of \\"\\", registered name.","impact":"high"},{"code":"legal_entity_confirmed","type":"strength","description":"A registration in an unstated jurisdiction bears the name.","impact":"high"}],"actions":[],"run_id":"run_',
  '","basis":[{"field":"legal_name","value":"","confidence":"high","reasoning":"The name on the registration.","citations":[{"url":null,"excerpt":"',
  '{"field":"display_name","value":"","confidence":"medium","reasoning":"The shortest name in use that the registry lists.","citations":[{"url":null,"excerpt":"; (","source_type":"web","authority_tier":3}]},',
  '{"field":"headquarters.address.country","value":"United States","confidence":"high","reasoning":"From the address on the registration.","citations":[{"url":"https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=000',
  '","source_type":"government_registry","authority_tier":1}]},{"field":"headquarters.address.country_code","value":"US","confidence":"high","reasoning":"From the address on the registration.',
  '{"field":"headquarters.address.formatted_address","value":"","confidence":"medium","reasoning":"The parts of the address in one line.',
  '{"field":"primary_legal_entity.registration_authority.code","value":"RA000665","confidence":"medium","reasoning":"The register that the number or the jurisdiction of the registration is of.',
  '{"field":"identifiers.0.value","value":"","confidence":"high","reasoning":"The registration bears this cik, in canonical form.","citations":[{"url":"https://',
  '","source_type":"government_registry","authority_tier":1}]}],"request_id":"req_',
  '_1","status":"COMPLETED","data":{"status":"matched","match_confidence":99,"type":"business","subtype":"incorporated_entity","entity":{"id":"siq_',
  '","display_name":"","legal_name":"","status":null,"description":null,"website":null,"headquarters":{"address":{"street_address":null,"street_number":null,"sub_premise":null,"city":null,"state":null,"state_code":null,"postal_code":null,"country":"United States","country_code":"US","formatted_address":"',
  '"}},"primary_legal_entity":{"id":"le_","jurisdiction":null,"country_code":null,"state_code":null,"registration_authority":{"id":665,"code":"RA000665","name":"EDGAR","organization":"Securities and Exchange Commission","jurisdiction":"us","country_code":"US","website":"https://www.sec.gov"}},"identifiers":[{"type":"cik","value":"',
  '","jurisdiction":null}],"matching_branch":null,"facets":{"sector":null,"legal_form":"corporation"},"industry":{"schemes":{}},"parent_entity":null},"candidate":null,"factors":[{"code":"',
  '{"status":"no_match","confidence":0,"entity_id":null,"display_name":null,"legal_name":null,"entity_status":null,"type":null,"subtype":null,"description":null,"website":null,"street_address":null,"city":null,"state":null,"state_code":null,"postal_code":null,"country":null,"country_code":null,"formatted_address":null,"legal_entity_id":null,"jurisdiction":null,"registration_authority":null,"registration_id":null,"lei":null,"cik":null,"ein":null,"duns":null,"bic":null,"ticker":null,"sector":null,"legal_form":null,"naics_code":null,"naics_label":null,"sic_code":null,"sic_label":null,"parent_name":null,"merged_into":null,"matching_branch":null,"candidate_name":null,"candidate_legal_name":null,"candidate_jurisdiction":null,"candidate_address":null,"factors":[{"code":"no_legal_entity_confirmed","type":"limitation","description":"No registration bears this name or one close to it.","impact":"high"}],"actions":[{"code":"provide_full_legal_name","description":"Give the full legal name as registered."},{"code":"verify_address","description":"Check the place of the company."}],"run_id":"run_',
  '","resolved_at":"2026-01-01T00:00:00.000000Z","from_cache":false,"error":null,"basis":[]}{"run_id":"run_',
  '","custom_id":"enr_',
  '_1","status":"COMPLETED","data":{"status":"no_match","match_confidence":0,"type":null,"subtype":null,"entity":null,"candidate":null,"factors":[{"code":"no_legal_entity_confirmed","type":"limitation","description":"No registration bears this name or one close to it.","impact":"high"}],"actions":[{"code":"provide_full_legal_name","description":"Give the full legal name as registered."},{"code":"verify_address","description":"Check the place of the company."}],"merged_into":null,"metadata":{"query":{"name":"',
  '","location":null,"context":null,"classification":"specific","mode":"standard"},"resolved_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","from_cache":false,"cache_hit_type":null},"basis":[],"request_id":"req_',
].join('')

/** Texts of answers that the first dictionary has in an earlier wording. */
const renewedTexts = [
  ['bears this name', 'has this name'],
  ['bears the name', 'has the name'],
  ['The registration bears this', 'The registration has this'],
  ['Other companies fit as well: ', 'Other companies may be meant: '],
] as const

/** Like the first one, with the present texts and with further frequent ones. The same rule applies to it. */
export const secondDictionary = [
  'Nothing known of where the registration is agrees with the place given.","impact":"medium"}',
  ' is the one that fits.","impact":"high"}It may be a company that the registry does not hold.',
  '{"code":"jurisdiction_match","type":"strength","description":"The country given is that of the registration.","impact":"medium"}',
  '{"field":"website","value":"","confidence":"medium","reasoning":"The website that the registry lists; registers of companies hold none.',
  '{"code":"legal_entity_inactive","type":"limitation","description":"The registration is not active (',
  '{"field":"parent_entity.name","value":"","confidence":"high","reasoning":"The parent that the registry names.',
  '{"field":"status","value":"active","confidence":"high","reasoning":"The status on the registration.',
  'The name has words that the text asked for lacks.The text asked for has words that the name lacks.',
  '{"code":"name_close_match","type":"strength","description":"No other company found has a name that begins so.","impact":"',
  '{"code":"name_close_match","type":"strength","description":"The name is the beginning of \\"\\", registered name.","impact":"',
  '{"code":"name_close_match","type":"strength","description":"The legal form is the same.","impact":"low"}',
  '{"code":"name_close_match","type":"strength","description":"It has a legal entity identifier (LEI), as few companies have.","impact":"low"}',
  '{"code":"jurisdiction_match","type":"strength","description":"The place given is that of the registration (","impact":"high"}',
  '{"code":"name_close_match","type":"strength","description":"No other company found has the name.","impact":"medium"}',
  '{"code":"name_close_match","type":"strength","description":"Its shares are traded: of companies of like names it is the likelier one.","impact":"medium"}',
  renewedTexts.reduce((text, [earlier, present]) => text.replaceAll(earlier, present), firstDictionary),
].join('')

/** An answer as stored: line and body are compressed as one text, so common parts are stored once. */
export interface PackedAnswer {
  /** Number of the dictionary; 0 means uncompressed. */
  packing: number
  lineBytes: number
  bodyBytes: number
  packed: Buffer
}

/** Line and body of an answer, or both packed where the answer was made. */
export type AnswerContent = Readonly<{ line: string; body: string }> | Readonly<{ packed: PackedAnswer }>

export const packContent = (content: AnswerContent): PackedAnswer =>
  'packed' in content ? content.packed : packAnswer(content.line, content.body)

/** The columns of a row that make a packed answer. */
export const packedColumns = 'packing, line_bytes AS lineBytes, body_bytes AS bodyBytes, packed'

/** Dictionaries by packing number. */
const dictionaries: readonly (Buffer | null)[] = [
  null,
  Buffer.from(firstDictionary),
  Buffer.from(secondDictionary),
]
const newestPacking = dictionaries.length - 1

/** 10 % smaller than at level 1 for 5 % more time; higher levels cost more time than they save space. */
const compressionLevel = 3
/** Most answers are smaller. The default of 16 KiB costs 10 % of the time. */
const packedPieceBytes = 4_096

/** Larger answers are stored uncompressed; this also limits the unpacked size. */
const unpackedBytesMax = 32 * 2 ** 20

export function packAnswer(line: string, body: string): PackedAnswer {
  const text = Buffer.from(line + body)
  const lineBytes = Buffer.byteLength(line)
  const sizes = { lineBytes, bodyBytes: text.length - lineBytes }
  const dictionary = dictionaries[newestPacking]
  if (text.length > unpackedBytesMax || !dictionary) return { packing: 0, ...sizes, packed: text }
  const packed = deflateRawSync(text, { level: compressionLevel, chunkSize: packedPieceBytes, dictionary })
  return { packing: newestPacking, ...sizes, packed }
}

export const unpackLineBytes = (answer: PackedAnswer): Buffer => unpack(answer).subarray(0, answer.lineBytes)

export const unpackLine = (answer: PackedAnswer): string => unpackLineBytes(answer).toString()

export const unpackBody = (answer: PackedAnswer): string => unpack(answer).toString('utf8', answer.lineBytes)

/** Prefix length of `packed` that yields the beginning of a line. */
export const packedHeadBytes = 160

/** Unpacks the start of the line from the first `packedHeadBytes` bytes; empty if they do not suffice. */
export function unpackLineHead(packing: number, head: Buffer): string {
  const dictionary = dictionaries[packing]
  if (!dictionary) return head.toString('latin1')
  try {
    const options = { dictionary, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 1_024 }
    return inflateRawSync(head, options).toString('latin1', 0, packedHeadBytes)
  } catch {
    return ''
  }
}

export function canUnpack(answer: PackedAnswer): boolean {
  try {
    unpack(answer)
    return true
  } catch (error) {
    if (error instanceof UnpackableError) return false
    throw error
  }
}

/** A row that no version wrote, even if its checksum is right. */
export class UnpackableError extends Error {}

/** Unpacks at most the row's stated size and the global limit. Throws UnpackableError. */
function unpack({ packing, lineBytes, bodyBytes, packed }: PackedAnswer): Buffer {
  const size = lineBytes + bodyBytes
  const dictionary = dictionaries[packing]
  if (dictionary === undefined || !Buffer.isBuffer(packed) || lineBytes < 0 || bodyBytes < 0)
    throw createUnpackableError(packing, size)
  if (dictionary === null ? packed.length !== size : size > unpackedBytesMax)
    throw createUnpackableError(packing, size)
  if (dictionary === null) return packed
  let text: Buffer
  try {
    text = inflateRawSync(packed, {
      dictionary,
      maxOutputLength: Math.max(1, size),
      // One byte more than needed: zlib then detects the end without a second chunk.
      chunkSize: Math.max(constants.Z_MIN_CHUNK, size + 1),
    })
  } catch (error) {
    throw createUnpackableError(packing, size, error)
  }
  if (text.length !== size) throw createUnpackableError(packing, size)
  return text
}

const createUnpackableError = (packing: number, size: number, cause?: unknown) =>
  new UnpackableError(`an answer of packing ${packing} does not unpack to ${size} bytes`, { cause })
