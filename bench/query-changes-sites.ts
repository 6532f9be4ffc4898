import { bare, number, pick, type NameChange } from './name-pieces.js'

const towns = [
  'Columbus',
  'Austin',
  'Leeds',
  'Tulsa',
  'Fort Worth',
  'Reno',
  'Durham',
  'Bristol',
  'Toledo',
  'Miami',
]
const streets = [
  'Oak Street',
  'N. Main St',
  'Airport Rd',
  'Industrial Blvd',
  'Park Avenue',
  'Mill Lane',
  'Highway 41',
  'Lake Drive',
]
const departments = [
  'Payroll',
  'Accounts Payable',
  'Head Office',
  'HR Dept',
  'Fleet',
  'Purchasing',
  'Legal',
  'IT Services',
]
const sites = [
  'Plant 7',
  'Distribution Center',
  'Store #212',
  'Warehouse 3',
  'Campus',
  'Call Center',
  'North Terminal',
  'Building B',
  'Refinery',
]
const trades = [
  'Sunny Inn',
  'Blue Door Kitchen',
  'Quick Fix',
  'Harbour View',
  'Golden Gate Fitness',
  'Riverside Care',
  'The Corner Shop',
]
const tradeNames = [
  'Riverton Hospitality LLC',
  'Marlowe Retail Ltd',
  'Pinegate Services Inc',
  'Eastbrook Trading Co',
]
function site(name: string, fraction: () => number): string {
  const at = pick(sites, fraction) ?? ''
  const town = pick(towns, fraction) ?? ''
  const base = fraction() < 0.5 ? name : bare(name)
  const written = [
    `${base} - ${at}`,
    `${base} - ${town}`,
    `${base} ${at}`,
    `${base} ${town} ${at}`,
    `${base}, ${town}`,
    `${base} #${number(fraction, 4000)}`,
    `${base} (${town})`,
    `${base}/${town} ${at}`,
    `${base}-${town}`,
    `${base} at ${town} Airport`,
  ]
  return pick(written, fraction) ?? base
}

function street(name: string, fraction: () => number): string {
  const base = fraction() < 0.5 ? name : bare(name)
  const place =
    fraction() < 0.6 ? ` ${pick(towns, fraction) ?? ''}, TX ${String(10_000 + number(fraction, 80_000))}` : ''
  return `${base} ${number(fraction, 9000)} ${pick(streets, fraction) ?? ''}${place}`
}

function department(name: string, fraction: () => number): string {
  const base = fraction() < 0.5 ? name : bare(name)
  const part = pick(departments, fraction) ?? ''
  return fraction() < 0.5 ? `${base} (${part})` : `${base} - ${part}`
}

function tradingAs(name: string, fraction: () => number): string {
  const trade = pick(trades, fraction) ?? ''
  const written = [
    `${name} dba ${trade}`,
    `${name} d/b/a ${trade}`,
    `${name} t/a ${trade}`,
    `${name} (dba ${trade})`,
    `${trade} (${name})`,
  ]
  return pick(written, fraction) ?? name
}

/** The holder is another, and the name is what it trades as. */
function tradedAs(name: string, fraction: () => number): string {
  return `${pick(tradeNames, fraction) ?? ''} ${fraction() < 0.5 ? 'dba' : 't/a'} ${bare(name)}`
}

const shortPlants = [
  'Plt',
  'Plant',
  'Works',
  'Mill',
  'Fab',
  'Terminal',
  'Refinery',
  'Div',
  'Ops',
  'Whse',
  'DC',
  'Facility',
]
const longPlants = [
  'Manufacturing Facility',
  'Generating Station',
  'Wastewater Treatment Plant',
  'Fulfillment Center',
  'Research Campus',
  'Regional Office',
  'Assembly Plant',
]

/** As registers of plants, emissions and lay-offs name the sites of a company. */
function plant(name: string, fraction: () => number): string {
  const town = pick(towns, fraction) ?? ''
  const short = pick(shortPlants, fraction) ?? ''
  const long = pick(longPlants, fraction) ?? ''
  const base = fraction() < 0.5 ? name : bare(name)
  const written = [
    `${base} ${town} ${short}`.toUpperCase(),
    `${base} - ${town} ${long}`,
    `${base} ${long} (${town})`,
    `${town} ${long} - ${base}`,
    `${town} ${short}, ${base}`,
    `${base}: ${town} ${short}`,
    `${base} ${short} No. ${number(fraction, 30)}`,
    `${base} ${short} ${number(fraction, 30)}`,
    `${base}, ${town} ${short}`,
    `${base} @ ${town}`,
  ]
  return pick(written, fraction) ?? base
}

const persons = ['J. Doe', 'Mary Hill', 'T. Novak', 'A. Okafor', 'R. Lindqvist']
const agents = [
  'Fernley Property Management',
  'Oakhurst Agents',
  'Dunmore & Partners',
  'Pinegate Services Inc',
]
const tasks = [
  'Accounts Payable',
  'Accts Payable',
  'Legal Dept',
  'HR',
  'Procurement',
  'Tax Department',
  'Treasury',
]

function careOf(name: string, fraction: () => number): string {
  const written = [
    `c/o ${name}`,
    `C/O ${name}`,
    `${name} c/o ${pick(agents, fraction) ?? ''}`,
    `${pick(persons, fraction) ?? ''} c/o ${name}`,
    `${name}, care of ${pick(agents, fraction) ?? ''}`,
  ]
  return pick(written, fraction) ?? name
}

function attention(name: string, fraction: () => number): string {
  const task = pick(tasks, fraction) ?? ''
  const person = pick(persons, fraction) ?? ''
  const written = [
    `${name} Attn: ${task}`,
    `${name}, Attn ${person}`,
    `ATTN ${task.toUpperCase()} ${name.toUpperCase()}`,
    `Attn: ${task}, ${name}`,
    `${name} FAO ${person}`,
    `${name} - Attention ${task}`,
  ]
  return pick(written, fraction) ?? name
}

/** The name of the house before that of who runs it. */
function tradeInFront(name: string, fraction: () => number): string {
  const trade = pick(trades, fraction) ?? ''
  const written = [
    `${trade}, operated by ${name}`,
    `${trade} - ${name}`,
    `${trade} by ${bare(name)}`,
    `${trade} c/o ${name}`,
    `${trade} / ${name}`,
    `${name} trading as ${trade}`,
    `${name} t/as ${trade}`,
    `${name} doing business as ${trade}`,
  ]
  return pick(written, fraction) ?? name
}

const formerNames = [
  'Oakridge Holdings',
  'Fernley Mutual',
  'Dunmore Works',
  'Pinegate Trading Co',
  'Eastbrook Mills',
]

function formerAdded(name: string, fraction: () => number): string {
  const former = pick(formerNames, fraction) ?? ''
  const written = [
    `${name} (formerly ${former})`,
    `${name} f/k/a ${former}`,
    `${name} (fka ${former})`,
    `${name} formerly known as ${former}`,
    `${name} (was ${former})`,
  ]
  return pick(written, fraction) ?? name
}

/** What a country is called in lists; its own name for itself among them. */
const countryNames: Readonly<Record<string, readonly string[]>> = {
  US: ['USA', 'United States', 'U.S.', 'America'],
  GB: ['UK', 'United Kingdom', 'Great Britain', 'England'],
  DE: ['Germany', 'Deutschland'],
  FR: ['France'],
  IT: ['Italy', 'Italia'],
  ES: ['Spain', 'España'],
  NL: ['Netherlands', 'Nederland', 'Holland'],
  BE: ['Belgium', 'Belgique'],
  CH: ['Switzerland', 'Schweiz'],
  AT: ['Austria', 'Österreich'],
  LU: ['Luxembourg'],
  IE: ['Ireland'],
  SE: ['Sweden', 'Sverige'],
  DK: ['Denmark', 'Danmark'],
  NO: ['Norway', 'Norge'],
  FI: ['Finland'],
  JP: ['Japan'],
  CA: ['Canada'],
  AU: ['Australia'],
  IN: ['India'],
  CN: ['China'],
  KY: ['Cayman Islands'],
  BR: ['Brazil', 'Brasil'],
}

/** A group's list says where each of its companies is, in the name. */
const ownCountryAdded: NameChange = (name, fraction, facts) => {
  const country = pick(countryNames[facts?.countryCode ?? ''] ?? [], fraction)
  if (country === undefined || name.toLowerCase().includes(country.toLowerCase())) return null
  return (
    pick([`${bare(name)} ${country}`, `${name} (${country})`, `${bare(name)} - ${country}`], fraction) ?? null
  )
}

/** The country of the group stands with the name, and is not the company's own. */
const parentCountryAdded: NameChange = (name, fraction, facts) => {
  const others = Object.keys(countryNames).filter((code) => code !== facts?.countryCode)
  const country = pick(countryNames[pick(others, fraction) ?? ''] ?? [], fraction) ?? ''
  return (
    pick(
      [`${name} (${country} group)`, `${name} (parent: ${country})`, `${name} - ${country} owned`],
      fraction,
    ) ?? null
  )
}

const regionNames: readonly (readonly [string, string])[] = [
  ['Delaware', 'DE'],
  ['Nevada', 'NV'],
  ['New York', 'NY'],
  ['Texas', 'TX'],
  ['Maryland', 'MD'],
]

function lawAdded(name: string, fraction: () => number): string {
  const [region, code] = pick(regionNames, fraction) ?? ['', '']
  return (
    pick([`${name}, a ${region} corporation`, `${name} (${region})`, `${name} /${code}/`], fraction) ?? name
  )
}

/** What stands around a name: site, department, address, holder, house, country. By the name of the stratum. */
export const siteChanges: Readonly<Record<string, NameChange>> = {
  site,
  street,
  department,
  trading_as: tradingAs,
  traded_as: tradedAs,
  plant,
  care_of: careOf,
  attention,
  trade_in_front: tradeInFront,
  former_added: formerAdded,
  own_country_added: ownCountryAdded,
  parent_country_added: parentCountryAdded,
  law_added: lawAdded,
}
