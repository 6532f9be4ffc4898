import { sicTitles } from './sic-titles.js'

const divisionNames: Readonly<Record<string, string>> = {
  A: 'Agriculture, forestry and fishing',
  B: 'Mining',
  C: 'Construction',
  D: 'Manufacturing',
  E: 'Transportation, communications, electric, gas and sanitary services',
  F: 'Wholesale trade',
  G: 'Retail trade',
  H: 'Finance, insurance and real estate',
  I: 'Services',
  J: 'Public administration',
  K: 'Nonclassifiable establishments',
}

/** The first two digits of a code, with the letter of the division. */
const majorGroups = `
01A Agricultural production crops | 02A Agriculture production livestock and animal specialties
07A Agricultural services | 08A Forestry | 09A Fishing hunting and trapping | 10B Metal mining | 12B Coal mining
13B Oil and gas extraction | 14B Mining and quarrying of nonmetallic minerals, except fuels
15C Building construction general contractors and operative builders
16C Heavy construction other than building construction contractors | 17C Construction special trade contractors
20D Food and kindred products | 21D Tobacco products | 22D Textile mill products
23D Apparel and other finished products made from fabrics and similar materials
24D Lumber and wood products, except furniture | 25D Furniture and fixtures | 26D Paper and allied products
27D Printing, publishing and allied industries | 28D Chemicals and allied products
29D Petroleum refining and related industries | 30D Rubber and miscellaneous plastics products
31D Leather and leather products | 32D Stone, clay, glass and concrete products | 33D Primary metal industries
34D Fabricated metal products, except machinery and transportation equipment
35D Industrial and commercial machinery and computer equipment
36D Electronic and other electrical equipment and components, except computer equipment
37D Transportation equipment
38D Measuring, analyzing and controlling instruments; photographic, medical and optical goods; watches and clocks
39D Miscellaneous manufacturing industries | 40E Railroad transportation
41E Local and suburban transit and interurban highway passenger transportation
42E Motor freight transportation and warehousing | 43E United States postal service | 44E Water transportation
45E Transportation by air | 46E Pipelines, except natural gas | 47E Transportation services | 48E Communications
49E Electric, gas and sanitary services | 50F Wholesale trade: durable goods
51F Wholesale trade: non-durable goods | 52G Building materials, hardware, garden supply and mobile home dealers
53G General merchandise stores | 54G Food stores | 55G Automotive dealers and gasoline service stations
56G Apparel and accessory stores | 57G Home furniture, furnishings and equipment stores
58G Eating and drinking places | 59G Miscellaneous retail | 60H Depository institutions
61H Non-depository credit institutions | 62H Security and commodity brokers, dealers, exchanges and services
63H Insurance carriers | 64H Insurance agents, brokers and service | 65H Real estate
67H Holding and other investment offices | 70I Hotels, rooming houses, camps and other lodging places
72I Personal services | 73I Business services | 75I Automotive repair, services and parking
76I Miscellaneous repair services | 78I Motion pictures | 79I Amusement and recreation services
80I Health services | 81I Legal services | 82I Educational services | 83I Social services
84I Museums, art galleries and botanical and zoological gardens | 86I Membership organizations
87I Engineering, accounting, research, management and related services | 88I Private households
89I Miscellaneous services | 91J Executive, legislative and general government, except finance
92J Justice, public order and safety | 93J Public finance, taxation and monetary policy
94J Administration of human resource programs | 95J Administration of environmental quality and housing programs
96J Administration of economic programs | 97J National security and international affairs
99K Nonclassifiable establishments`

/** Codes that the SEC made up beside the scheme: what the group of their number is called says nothing of them. */
const outsideTheScheme = new Set(['8880', '8888'])

/** Read when first asked for: most commands never ask. */
let labels: ReadonlyMap<string, string> | null = null
let groups: ReadonlyMap<string, SicGroup> | null = null

export interface SicGroup {
  readonly division: string
  readonly majorGroup: string
}

/** The label of a four-digit SIC code, or null where neither the scheme nor the SEC knows it. */
export function sicLabel(code: string): string | null {
  labels ??= new Map(entriesOf(sicTitles).map((entry) => [entry.slice(0, 4), entry.slice(5)]))
  return labels.get(code) ?? null
}

/** The division and the major group of a code; null for one that is in none. */
export function sicGroup(code: string): SicGroup | null {
  if (outsideTheScheme.has(code)) return null
  groups ??= new Map(
    entriesOf(majorGroups).map((entry) => [
      entry.slice(0, 2),
      { division: divisionNames[entry.charAt(2)] ?? '', majorGroup: entry.slice(4) },
    ]),
  )
  return groups.get(code.slice(0, 2)) ?? null
}

function entriesOf(table: string): string[] {
  return table.trim().split(/\n| \| /)
}
