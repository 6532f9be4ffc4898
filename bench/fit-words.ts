/** Words that lists put next to a name, in several languages; an operation draws from them at random. */
const split = (text: string) => text.split('|')

export const securities = split(
  'Common Stock|Class A Common Stock|Class B Ordinary Shares|COM|ORD|ORD SHS|Registered Shares|Ordinary Shares|Namens-Aktien o.N.|Inhaber-Aktien|' +
    'Inhaber-Akt. o.N.|Vorzugsaktien|Vz. o.N.|Stammaktien|Nam.-Akt. SF 1|Actions Port. EO 1|Actions Nominatives|Azioni nom.|Acciones Port.|Aandelen aan toonder|' +
    'Navne-Aktier|ADR|Spons. ADR|SHS|Units|Warrants|Rights|Pfd Ser B|Preferred Stock Series C|Reg. Shs|Reg. Shares A|CL A|Cl. B|Senior Notes|Conv Notes|Sub. Debentures|' +
    'Bearer Shares|Shs -A-|Shares of Beneficial Interest|Depositary Shares|NPV|Anleihe|Schuldverschr.|Obligations|Obbligazioni|EMTN|FRN',
)
export const departments = split(
  'Accounts Payable|Attn: Finance|HR Department|IT Division|Purchasing Dept|Legal|Payroll|Head Office|Treasury|Procurement|Accounts Receivable|Tax Dept.|Customer Service|' +
    'Abt. Einkauf|Buchhaltung|Rechnungswesen|Personalabteilung|Zentrale|z. Hd. Buchhaltung|Niederlassung|Service Comptabilité|Direction des achats|Siège social|Succursale|' +
    'Ufficio Acquisti|Amministrazione|Filiale|Departamento de Compras|Contabilidad|Sucursal|Crediteurenadministratie|Afdeling Inkoop|Ekonomiavdelningen|Regnskab|Branch|Warehouse|Plant 2|Store 14|Campus|Distribution Center|Werk 3',
)
export const streets = split(
  'Main St|Oak Street|Airport Rd|Industrial Blvd|Park Avenue|Mill Lane|Highway 41|Lake Drive|Hauptstr.|Bahnhofstraße|Industriestr.|rue de la Gare|avenue Foch|boulevard Voltaire|' +
    'Via Roma|Corso Italia|Calle Mayor|Avenida de América|Kerkstraat|Storgatan|High Street|Station Road|Church Lane|Ring Road',
)
export const genericWords = split(
  'Group|Holdings|International|Services|Global|Worldwide|Systems|Solutions|Europe|Partners|Industries|Company|Enterprises|Gruppe|Groupe|Gruppo|Grupo|Konzern|Corporate|Brands|Technologies|Management|Operations|North America|USA|UK',
)
export const currencies = split('USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|HKD|BRL')
export const cardHeads = split(
  'SQ *|SQ*|PAYPAL *|PP*|TST* |SP |POS |POS DEBIT |CHECKCARD 0412 |IN *|ACH |SEPA |VISA |AMZN*|KARTENZAHLUNG |CB ',
)
export const tradeNames = split(
  'Sunny Inn|Blue Door Kitchen|Quick Fix|Harbour View|Golden Gate Fitness|Riverside Care|The Corner Shop|Zum Adler|Chez Marcel|Café Central|La Piazza|Casa Blanca|Old Mill|Green Leaf|Nordstern',
)
export const tradeMarks = split(
  'dba|d/b/a|DBA|t/a|T/A|trading as|aka|f/k/a|formerly|firmierend als|anciennement',
)
export const countryNames: Readonly<Record<string, readonly string[]>> = {
  US: ['USA', 'U.S.', 'US', 'United States', 'Vereinigte Staaten', 'États-Unis', 'EEUU'],
  GB: ['UK', 'United Kingdom', 'GB', 'Großbritannien', 'Royaume-Uni'],
  DE: ['Germany', 'DE', 'Deutschland', 'Allemagne'],
  FR: ['France', 'FR', 'Frankreich'],
  IT: ['Italy', 'IT', 'Italia', 'Italien'],
  ES: ['Spain', 'ES', 'España'],
  NL: ['Netherlands', 'NL', 'Nederland', 'Niederlande'],
  CH: ['Switzerland', 'CH', 'Schweiz', 'Suisse'],
  AT: ['Austria', 'AT', 'Österreich'],
  CA: ['Canada', 'CA', 'Kanada'],
  SE: ['Sweden', 'SE', 'Sverige'],
  JP: ['Japan', 'JP'],
  CN: ['China', 'CN', 'PRC'],
}
/** Words and the short forms that lists have for them; both directions are used. */
export const usualShort: readonly (readonly [string, readonly string[]])[] = [
  ['international', ['Intl', "Int'l", 'Int.']],
  ['holdings', ['Hldgs', 'Hldg', 'Hlds']],
  ['services', ['Svcs', 'Svc', 'Serv.']],
  ['technologies', ['Tech', 'Techs']],
  ['technology', ['Tech', 'Tech.']],
  ['group', ['Grp', 'Gp']],
  ['management', ['Mgmt', 'Mgt']],
  ['financial', ['Finl', 'Fin']],
  ['industries', ['Inds', 'Ind']],
  ['manufacturing', ['Mfg', 'Manuf']],
  ['pharmaceuticals', ['Pharma', 'Pharm', 'Pharms']],
  ['resources', ['Res', 'Rsrcs']],
  ['properties', ['Props', 'Pptys']],
  ['insurance', ['Ins', 'Insur']],
  ['national', ['Natl', "Nat'l"]],
  ['american', ['Amer', 'Am']],
  ['communications', ['Comm', 'Comms']],
  ['systems', ['Sys', 'Systs']],
  ['energy', ['Engy', 'Ener']],
  ['investment', ['Inv', 'Invt']],
  ['investments', ['Invs', 'Invts']],
  ['association', ['Assn', 'Assoc']],
  ['development', ['Dev', 'Devel']],
  ['trust', ['Tr', 'Trst']],
  ['fund', ['Fd']],
  ['bank', ['Bk', 'Bnk']],
  ['capital', ['Cap', 'Cptl']],
  ['partners', ['Ptnrs', 'Prtnrs']],
  ['university', ['Univ', 'Uni']],
  ['department', ['Dept']],
  ['laboratories', ['Labs', 'Lab']],
  ['electric', ['Elec', 'El.']],
  ['gesellschaft', ['Ges.', 'Ges']],
  ['versicherung', ['Vers.']],
  ['deutsche', ['Dt.', 'Dte']],
  ['compagnie', ['Cie', 'Cie.']],
  ['société', ['Sté', 'Ste']],
]
export const numberWords: readonly (readonly [string, readonly string[]])[] = [
  ['first', ['1st', '1st.', 'Ist']],
  ['second', ['2nd']],
  ['third', ['3rd']],
  ['fourth', ['4th']],
  ['fifth', ['5th']],
  ['one', ['1']],
  ['two', ['2', 'II']],
  ['three', ['3', 'III']],
  ['four', ['4']],
  ['five', ['5']],
  ['six', ['6']],
  ['seven', ['7']],
  ['eight', ['8']],
  ['twenty', ['20']],
  ['hundred', ['100']],
  ['ii', ['2', 'Two']],
  ['iii', ['3', 'Three']],
  ['iv', ['4', 'Four']],
  ['2', ['II', 'Two']],
  ['3', ['III', 'Three']],
]
export const scanConfusions: readonly (readonly [string, string])[] = [
  ['o', '0'],
  ['0', 'O'],
  ['l', '1'],
  ['i', '1'],
  ['i', 'l'],
  ['l', 'I'],
  ['s', '5'],
  ['b', '8'],
  ['g', '6'],
  ['m', 'rn'],
  ['rn', 'm'],
  ['w', 'vv'],
  ['cl', 'd'],
  ['e', 'c'],
  ['h', 'li'],
  ['z', '2'],
]
