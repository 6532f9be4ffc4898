/** Names of the commonest codes of the Standard Industrial Classification, as the SEC words them. */
const table = `
1000 Metal mining
1040 Gold and silver ores
1311 Crude petroleum and natural gas
1381 Drilling oil and gas wells
1389 Oil and gas field services
1531 Operative builders
2000 Food and kindred products
2040 Grain mill products
2060 Sugar and confectionery products
2080 Beverages
2082 Malt beverages
2086 Bottled and canned soft drinks and carbonated waters
2111 Cigarettes
2300 Apparel and other finished products of fabrics
2621 Paper mills
2711 Newspapers: publishing or publishing and printing
2800 Chemicals and allied products
2810 Industrial inorganic chemicals
2834 Pharmaceutical preparations
2836 Biological products, except diagnostic substances
2840 Soap, detergents, cleaning preparations, perfumes, cosmetics
2844 Perfumes, cosmetics and other toilet preparations
2860 Industrial organic chemicals
2911 Petroleum refining
3011 Tires and inner tubes
3021 Rubber and plastics footwear
3312 Steel works, blast furnaces and rolling mills
3523 Farm machinery and equipment
3531 Construction machinery and equipment
3559 Special industry machinery
3570 Computer and office equipment
3571 Electronic computers
3572 Computer storage devices
3576 Computer communications equipment
3600 Electronic and other electrical equipment, except computers
3651 Household audio and video equipment
3661 Telephone and telegraph apparatus
3663 Radio and television broadcasting and communications equipment
3674 Semiconductors and related devices
3711 Motor vehicles and passenger car bodies
3714 Motor vehicle parts and accessories
3721 Aircraft
3724 Aircraft engines and engine parts
3841 Surgical and medical instruments and apparatus
3845 Electromedical and electrotherapeutic apparatus
4011 Railroads, line-haul operating
4210 Trucking and courier services, except air
4412 Deep sea foreign transportation of freight
4512 Air transportation, scheduled
4513 Air courier services
4812 Radiotelephone communications
4813 Telephone communications, except radiotelephone
4833 Television broadcasting stations
4841 Cable and other pay television services
4911 Electric services
4923 Natural gas transmission and distribution
4931 Electric and other services combined
4953 Refuse systems
5045 Wholesale: computers and peripheral equipment and software
5122 Wholesale: drugs, proprietaries and druggists' sundries
5211 Retail: lumber and other building materials dealers
5311 Retail: department stores
5331 Retail: variety stores
5411 Retail: grocery stores
5651 Retail: family clothing stores
5812 Retail: eating places
5912 Retail: drug stores and proprietary stores
5961 Retail: catalog and mail-order houses
6021 National commercial banks
6022 State commercial banks
6029 Commercial banks
6141 Personal credit institutions
6199 Finance services
6200 Security and commodity brokers, dealers, exchanges and services
6211 Security brokers, dealers and flotation companies
6282 Investment advice
6311 Life insurance
6324 Hospital and medical service plans
6331 Fire, marine and casualty insurance
6411 Insurance agents, brokers and service
6512 Operators of nonresidential buildings
6770 Blank checks
6798 Real estate investment trusts
7011 Hotels and motels
7311 Advertising agencies
7370 Computer programming, data processing and other computer related services
7371 Computer programming services
7372 Prepackaged software
7373 Computer integrated systems design
7374 Computer processing and data preparation
7389 Business services
7812 Motion picture and video tape production
7841 Video tape rental
7900 Amusement and recreation services
8062 General medical and surgical hospitals
8200 Educational services
8711 Engineering services
8742 Management consulting services`

const labels = new Map(
  table
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, 4), line.slice(5)]),
)

/** The label of a four-digit SIC code, or null where the table holds none. */
export function sicLabel(code: string): string | null {
  return labels.get(code) ?? null
}
