import {
  asianWords,
  isGenericWord,
  isLightWord,
  isNumberWord,
  isTradeWord,
} from '../normalize/normalize-name.js'
import { namesCountry } from '../../core/countries.js'

/**
 * Meaning of a word of a text that is not part of the company's name. `telling`: possibly another company.
 * `generic`: a trade or a shape. `body`: a body of its own near a company, such as a foundation. `host`: "care of", before a company that is not asked for. `agent`: "on behalf of", behind one. `light`: often added to names or dropped. `stop`: joins words. `mark`: "d/b/a".
 */
export type WordClass =
  | 'telling'
  | 'generic'
  | 'light'
  | 'form'
  | 'number'
  | 'percent'
  | 'date'
  | 'currency'
  | 'security'
  | 'department'
  | 'site'
  | 'payment'
  | 'body'
  | 'host'
  | 'agent'
  | 'mark'
  | 'former'
  | 'exchange'
  | 'code'
  | 'place'
  | 'letter'
  | 'web'
  | 'stop'

const listWords = (words: string): string[] => words.trim().split(/\s+/)

type Listed = readonly (readonly [wordClass: WordClass, words: string])[]

const toMap = (lists: Listed): ReadonlyMap<string, WordClass> =>
  new Map(lists.flatMap(([wordClass, words]) => listWords(words).map((word) => [word, wordClass] as const)))

/** Words that have this meaning wherever they stand. */
const classOfWord = toMap([
  [
    'stop',
    `of de la le les der die das des du y e for in on at del da do di van von fur a an to by zu el los las o and the und
    et og och im am dem den al fuer`,
  ],
  [
    'security',
    `stock shs cl ser ordinary ord ords adr adrs ads depositary receipt receipts depository uts warrant warrants wts rts
    preferred pfd pfds pref prf perp nts debenture debentures frn mtn emtn cert vtg inh inhaber inhaberaktien nam namens
    namensaktien namenaktien namensakt akt aktie aktien stammaktien vz vorzugsaktien vorzugsakt nominale porteur azioni azione
    az npv comn stk voting nonvoting subvoting redeemable sponsored spon spons reit sbi navne aktier aandelen aand bearershares acciones accion
    isin wkn cusip dl lsf gdr gdrs anleihe schuldverschreibung obligationen titres`,
  ],
  ['currency', 'usd eur gbp chf jpy cad aud sek nok dkk inr cny hkd brl mxn pln czk zar sgd'],
  [
    'department',
    `payable receivable department dept attn attention accounting payroll procurement purchasing invoice invoices
    rechnung buchhaltung abteilung einkauf rechnungswesen kreditoren personalabteilung comptabilite achats
    contabilidad contabilidade inkoop crediteuren poststelle wareneingang ufficio facturation facturacion
    acquisti uff contabilita amministrazione firma ditta messrs lieferant kreditor debitor fornitore fournisseur
    fornecedor proveedor leverancier klant leverandor dostawca debtor debtors ste
    sluzba odeljenje odjel odjeljenje sektor nabavke nabavka nabave nabava prodaje prodaja racunovodstvo racunovodstva
    knjigovodstvo dzial zakupow zakupy ksiegowosc kadry oddeleni odbor nakupu nakup uctarna ucetni oddelenie uctovnictvo
    osztaly beszerzes beszerzesi konyveles penzugy penzugyi departament departamentul achizitii contabilitate avdeling
    avdelning afdeling innkjop inkop indkob okonomi ekonomi regnskab regnskap osasto hankinta laskutus kirjanpito
    bolumu satinalma muhasebe departmani otdel otdela zakupok bukhgalteriya buhgalteriya viddil zakupivel tmima
    logistirio bagian departemen pembelian keuangan phong idara mahleket osakond skyrius nodala
    qsm lhsbt hsbt lmshtryt mshtryt lmbyt lmkhzn lshuwn mhlkt mhlkh rkhs hsvvnvt tdrkt vibhag bibhag
    aephnkbaychi aephnkchadsueo faybaychi faychadsueo
    depto dpto pengadaan`,
  ],
  [
    'site',
    `smanaknganaihy sakha headquarters hq zentrale niederlassung betriebsstatte zweigniederlassung filiale agence succursale vestiging filial
    sucursal bldg suite`,
  ],
  [
    'payment',
    `debit pago sepa neft rtgs imps chaps fpi tfr przelew prlv prelevement lastschrift dauerauftrag uberweisung ueberweisung gutschrift virement kartenzahlung bacs ach
    achat compra recibo bonifico addebito checkcard izettle sumup paypal carte karte carta
    tarjeta`,
  ],
  ['host', 'careof'],
  [
    'body',
    `foundation club pension pensions retirees alumni charity charities union auxiliary museum employees stiftung fondation
    fundacion fondazione pensionskasse unterstutzungskasse betriebsrat verein retirement benefit benefits charitable friends
    association committee 401k ssas sipp ebt pac sindacato sindicato syndicat gewerkschaft pensionsfonds pensjonskasse
    pensjonsfond pensionsfond pensionskassa pensionsstiftelse pensioenfonds elakekassa elakesaatio nyugdijpenztar
    betriebskrankenkasse versorgungswerk versorgungskasse insolvenzmasse konkursmasse konkursbo konkursboet dodsbo
    konkurssipesa kuolinpesa boedel fallimento concursal falida stiftelse stiftelsen saatio alapitvany nadace vakfi
    fundacja amicale dopolavoro personalforening personaleforening personeelsvereniging idrettslag forderverein`,
  ],
  ['web', 'https http www com'],
  ['former', 'formerly previously former fka aka nka vormals ehemals anciennement frueher fruher'],
  ['mark', 'dba ta'],
  ['agent', 'obo'],
  ['exchange', 'nyse nasdaq amex otc otcmkts xetra euronext'],
])

/** Words that have this meaning next to a word of `classOfWord`, or apart from the rest of the text. */
const classBesideOthers = toMap([
  [
    'security',
    `common stocks share shares sh class series american unit units right rights cumulative perpetual convertible conv note
    notes nt bond bonds senior sr sub subordinated secured unsecured fixed floating rate certificates registered reg regs
    vorzug stamm namen sp nom nominal actions action port par value beneficial interest representing each one etf bearer due
    maturity eo sk nk dk coupon callable obligation obligations tier new on nv of trust gtd guaranteed global`,
  ],
  ['currency', 'dollar dollars euro euros'],
  [
    'date',
    `jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october
    november december januar marz juni juli oktober dezember janvier fevrier mars avril juin juillet aout septembre
    octobre novembre decembre`,
  ],
  [
    'department',
    `accounts division div ap ar treasury hr human resources customer vendor supplier careers jobs career external late
    vertrieb co legal tax it logistik service compras factures services finance center centre team desk
    drh ldrh mktb shbh lmlyh mlyh lmwrd lbshryh lqnwnyh lmhsbh lkhzynh ltswyq hnhlt khsfym bkhsh hsbdry khryd
    mwnt dptr aephnk`,
  ],
  [
    'site',
    `branch office plant site facility warehouse store stores location werk standort sede building floor room terminal
    campus depot lager kiosk outlet shop no nr park distribution center centre works lab labs`,
  ],
  [
    'payment',
    `pos card purchase direct standing order payment visa mastercard credit transfer online bill recurring autopay
    mktp reload dd sq tst pp chq vir cb so fpo trf upi bgc cr dr ref rent`,
  ],
  ['web', 'info biz io uk de fr eu ch it co net org nl'],
  ['former', 'now known ex antes'],
  ['exchange', 'lse tsx asx ln gy gr fp ticker symbol us'],
])

/** True for a word that has another meaning next to others, such as "common" of shares. */
export const hasOtherMeaning = (word: string): boolean => classBesideOthers.has(word)

/** Words that begin a description of a security: the words and numbers next to them belong to it. */
const bondClasses: ReadonlySet<WordClass> = new Set(['percent', 'date', 'security', 'currency'])
export const isOfSecurity = (wordClass: WordClass): boolean => bondClasses.has(wordClass)

const ordinal = /^\d+(?:st|nd|rd|th)?$/
const dateCode = /^\d{1,2}[a-z]{3}\d{2,4}$/
const hasLetterAndDigit = /^(?=.*[a-z]).*\d/

/** A day, a month and a year; or a month and a year. */
const writtenDate = /\b(?:\d{1,2} [a-z]{3,} \d{2,4}|[a-z]{3,} (?:\d{1,2} )?\d{4})\b/

/** Classifies a folded word that is no legal form. `placeWords`: words of the place that the query gives. */
export function classifyWord(word: string, placeWords: ReadonlySet<string>): WordClass {
  const listed = classOfWord.get(word)
  if (listed !== undefined) return listed
  if (ordinal.test(word)) return 'number'
  if (isNumberWord(word))
    return dateCode.test(word) ? 'date' : hasLetterAndDigit.test(word) ? 'code' : 'number'
  if (placeWords.has(word)) return 'place'
  if (isLightWord(word)) return 'light'
  if (word.length >= 4 && namesCountry(word)) return 'place'
  if (isGenericWord(word) || isTradeWord(word)) return 'generic'
  return word.length === 1 ? 'letter' : 'telling'
}

interface Classified {
  readonly text: string
  readonly wordClass: WordClass
  /** The punctuation before it separates parts of the text. */
  readonly isApart: boolean
}

const streetWords = new Set(
  listWords(
    `street st road rd avenue ave av boulevard blvd drive dr lane ln way highway hwy route rte parkway pkwy place pl plaza
    square sq court ct circle cir terrace box crescent strasse str platz weg allee rue via calle straat laan`,
  ),
)
const streetWordsMax = 5

/** Returns the place of a street's number, from which on the text is an address; -1 without one. */
function findAddress(words: readonly Classified[]): number {
  return words.findIndex(({ text }, at) => {
    if (at === 0) return false
    if (/^(?:po|p)$/.test(text)) return words.slice(at + 1, at + 3).some((word) => word.text === 'box')
    if (!/^\d{1,6}[a-z]?$/.test(text)) return false
    return words.slice(at + 2, at + 2 + streetWordsMax).some((word) => streetWords.has(word.text))
  })
}

/**
 * Returns the class of each word among the others: "american" describes a security before "depositary", and "plant" a site
 * after a dash. Runs of words that may be of one kind have it if one of them surely has, or if the run stands apart at the end.
 */
export function classifyBesideOthers(words: readonly Classified[]): WordClass[] {
  const classes = words.map(({ wordClass }) => wordClass)
  const address = findAddress(words)
  if (address > 0)
    for (let at = address; at < words.length; at++) if (classes[at] !== 'form') classes[at] = 'place'
  for (const kind of [
    'security',
    'date',
    'department',
    'site',
    'payment',
    'web',
    'former',
    'exchange',
    'currency',
  ] as const) {
    const mayBe = (at: number) => {
      const word = words[at]
      return (
        word !== undefined &&
        (classes[at] === kind || classBesideOthers.get(word.text) === kind || isFiller(at, kind))
      )
    }
    const isFiller = (at: number, of: WordClass) =>
      isOfSecurity(of)
        ? ['number', 'percent', 'letter', 'date', 'currency', 'code', 'security'].includes(classes[at] ?? '')
        : (of === 'department' || of === 'site') &&
          ['stop', 'number', 'letter', 'department', 'site'].includes(classes[at] ?? '')
    for (let from = 0; from < words.length;) {
      if (!mayBe(from)) {
        from++
        continue
      }
      let end = from
      while (
        end < words.length &&
        mayBe(end) &&
        (end === from || !(words[end]?.isApart ?? false) || kind === 'security')
      )
        end++
      const isSure = classes
        .slice(from, end)
        .some((one) => one === kind || (kind === 'security' && one === 'percent'))
      const isSetOff = (from > 0 && (words[from]?.isApart ?? false)) || (words[end]?.isApart ?? false)
      const isApart = isSetOff && (kind === 'department' || kind === 'site')
      const run = words.slice(from, end).map(({ text }) => text)
      const named = run.some((text) => classBesideOthers.get(text) === kind)
      const isDate = kind === 'date' && writtenDate.test(run.join(' '))
      if ((isSure || ((isApart || isDate) && named)) && end - from < words.length)
        for (let at = from; at < end; at++)
          if (classes[at] !== kind && classBesideOthers.get(words[at]?.text ?? '') === kind)
            classes[at] = kind
      from = end
    }
  }
  spreadSites(words, classes)
  return classes
}

/** After a sign, the words next to "niederlassung" or "payroll" name the site: "Larkmoor - Niederlassung Ulm". */
function spreadSites(words: readonly Classified[], classes: WordClass[]): void {
  for (let from = words.findIndex(({ isApart }, at) => at > 0 && isApart); from > 0 && from < words.length;) {
    let end = from + 1
    while (end < words.length && !(words[end]?.isApart ?? false)) end++
    const piece = classes.slice(from, end)
    const last = classBesideOthers.get(words[end - 1]?.text ?? '')
    const kind =
      piece.find((one) => one === 'site' || one === 'department') ??
      (last === 'site' || last === 'department' ? last : undefined)
    if (kind !== undefined && !piece.includes('form'))
      for (let at = from; at < end; at++)
        if (['telling', 'generic', 'light', 'letter', 'number'].includes(classes[at] ?? ''))
          classes[at] = kind
    from = end
  }
}

/**
 * Common words of company names: occurrences in 100,000 names of American and British registers, each family of names
 * counted once. A small registry cannot provide them.
 */
const wordsByCount: readonly (readonly [count: number, words: string])[] = [
  [10240, 'fund'],
  [5120, 'capital holdings management of series'],
  [2560, 'group investment partners trust'],
  [
    1280,
    'acquisition advisors asset co financial funds global ia international investments services technology uk ventures wealth',
  ],
  [
    640,
    'bank credit energy equity estate feeder ft income invest investors master offshore opportunities opportunity private real reit solutions spv us venture',
  ],
  [
    320,
    'academy access advisory ai alpha angellist associates bancorp care cayman center corp de development enterprises europe finance first funding gold gp growth health healthcare industries infrastructure insurance laboratories life llc lp markets masterworks medical mortgage multi new one park partnership pharmaceuticals portfolio properties raiffeisenbank resources roll securities sparkasse strategic strategies street systems therapeutics up value vehicles volksbank west',
  ],
  [
    160,
    'account al alternative america american asia at auto bio blue bond brands business cap china city com commercial communications community consulting core creek debt digital direct diversified dst east education egen emerging entertainment etf family foods for foundation gaingels gas general green high hill holdco home homes hotel housing in inc india industrial institutional investor learning lending loan logistics london long ltd market media metals municipal mv national network north oil onshore pacific parallel planning plus point power products qp realty research restaurants retail saint sc school sciences security select senior service software south sp spc special storage strategy trading united variable vc world',
  ],
  [
    80,
    'ab absolute academies advanced advantage ag aggregator all alliance am angel angels annuity apartments apollo as assets association assure atlantic atlas automotive avenue ax banca bancshares banque bay biosciences biotech blackrock bridge brothers building ca california canada carlyle central cleaning climate clo club collective college companies construction cooperativo corporate counsel county credito crown data delaware depositor di distribution dynamic eagle electric employee engineering enhanced european evergreen exchange fc fidelity food franklin frontier ginsburg golden harbor heritage horizon hospital hospitality hotels house icapital impact innovation innovations integrated invesco james japan john joint jv kkr kreissparkasse la lake land lane legacy leisure liability liberty liquid living lux luxembourg macro managed manufacturing marketing minerals mining money motor motors mountain multifamily mutual natural nb net networks no nov nuveen oak oct office on operating operations opportunistic osuuspankki owner oxford parent pass pe petroleum phoenix pimco platform preferred premier prime productions project public quality quantum raif re recruitment red residential retirement return ridge river riverside road rock royal sa schools science scotland secondary self sep separate ser short sicav silver small smith society solar specialty sports square star state stepstone stone structured sub summit support syndicate tax te term texas total transport two union university usd va valley vehicle village vision water white yield york zachary',
  ],
  [
    40,
    'aa abrdn abs ac acquisitions active ad adr advised advisor aerospace agency air airport aiv allocation alpine alpinvest alternatives americas analytics ap apartment apex applied aqr ar arbitrage ares asp aspen aurora austin australia aviation avsf ba backed banco banka banking bankshares barings bc bdc beach beacon beheer bell beschrankter beta big biopharma bioscience bitcoin black blackstone blockchain blocker boston br brewing british broadway brookfield brown builders by cambridge canyon car carbon card carolina cash castle catalyst catering catholic cc centers century cert certificates cf childrens church ci cifc circle class clean cloud coast coffee coinvest coinvestment colorado columbia commerce commodity commonwealth company compass concepts consultants consumer continental contract convertible cooperative copper cornerstone country cove cp creative crypto cs cv david davis day dc deep defense del delta dental der des design diagnostics diamond discovery distressed dividend domestic dr drilling drive du duration eastern edge educational el electronics empire employment england environmental equipment estates eu eur euro ex exempt exploration express facilities farm farms federal ff fi field financing fintech five fixed fl florida focus forest fortress founders four france free freedom fs furniture future futures ga gabelli games gaming garden gate gateway gb generation genesis genossenschaft go golf good government grand granite grayscale great grove gs guardian haftung hall hamilton harvest hedge highland hills hk hong hospice hudson im imaging independent index information infra insight institute intelligence interactive intermediate investco ireland iron island it jackson jersey jones keystone king kong kumar le lease leasing lee light limited lincoln line ls ma madison main manager managers manchester manor marine mark martin materials mc merger meridian mexico mezzanine mid middle midlands midstream midwest mill millennium mission mit mobile mobility morgan mort mount ms music my nc neutral next nexus non nord northern northwest nova ny oaktree odpowiedzialnoscia ograniczona ohio old oncology only op open overseas pa packaging pag pantheon partner pay pbc peak pension people performance personnel pine pinnacle pioneer pipeline place plan platinum plaza portfolios post pr precision premium principal pro professional program projects prospect prudential putnam rahman rail ranch rate receivables recovery redwood regional registrierte rehabilitation renewable republic resorts restaurant rise risk rl rn robert robotics royalty sage sajid sales san sca scott scsp se sea sec secondaries secured seed segregated semiconductor seven shares shell shipping si sidecar sierra singapore singh situations sky sl slp smart smarttrust so social societa sons southern space spectrum spoka sponsor spring sr sri ss ssg standard station steel sterling stock stores studio studios sun supply surgery surgical sustainable systematic tactical target taylor team telecom terra th third thomas thr three through titan to topco tower tpg trade transition transportation travel tree trinity tv tx uag ubs umbrella unit universal urban van vanguard vintage virginia vista warehouse washington waste wave wellington wellness western william williams wood woods works worldwide',
  ],
  [
    20,
    'aberdeen abpcic acadian acorn acp acretrader activity adams add advance adviser aero af affiliates affinity africa agricultural agriculture agro aim aip aircraft airlines alexander alextar allen allianz allied allocate alt alta alto amundi an anchor anderson andrew animal annex app apple appreciation apptronik arbor arc arch arena arizona ark armstrong arriva arrow art arts ascend ascent aspire assurance athena atlanta au aug autism automation automobiles av avalon ave axa axiom axis babcock baker bakery balanced bam bankers bankhaus bar based battery bayview bcc bcp bd be bear beauty behalf benchmark benefit berkeley berkshire berry best better beverage beyond bh bi bidco biologics biomedical biotechnologies biotechnology biotherapeutics birmingham bitwise bl bloom bmo board box bp branch brand brewery bright bristol broad broadcasting brokerage brook bt btc build bus bvi bw cable cafe call campus canadian canary cancer cannabis capita capstone cardinal cars cassa cb cbre ccof ccv cd ce cedar cell cg ch chain champion channel charitable charity charles charter chase chemical chemicals chesapeake chicago choice churchill cinemas citizens civ cl clark classic clear clearwater client clinical clutch cm coal coastal coatue cold collins colony columbus commodities common commons communities components computing concentrated concord connect connecticut consolidated constellation constructions consultancy continuation contracting contractors control cooper cooperativa corporation council court cr crane cre crescent crest critical cross crossing crystal culture cumberland custom cw cypress da dakota datapower davidson db dba dcm deal deals dean defined dennis denver designated designs deutsche deutschland developers developments devices dg discretionary dislocation distributors district division do dominion douglas dpv dragon dream driven dv dvc dw dws dynamics early earth ec echo eco ecp eden edison edward ef eg electrical element elevate elite ellington em emerald employees en encore end endurance engineers entrepreneurs eq eqt equitybee er es esg essential essex est etfs europa ev evans event everest evolution executive exeter exitfund extension facility factory falcon falls farmers fashion fast fe federation fg fiduciary fifth fig film films fire fisher fitness flagship fleet flex flexible floating flow fm fo football ford forge fort fortune forum forward fossil foster foundry fourth fox fp fr franchise fresh friends fuel fuels fundamental fur fusion galaxy gc ge gem george georgia gestion gf gh gi glasgow glass gmbh gordon grade graham grant gray greater groq grosvenor ground grupo gsbackers guggenheim hack harbour harris harrison hartford haven hawk hc hcm heart hedged hedgeforum heights heron hf hi hire homecare horizons houston howard hr hsbc hub human hunt hustle hw ib ic ice icg id idaho idf if il illinois independence indiana indigo industry infinite infinity ing inn innovative insured integrity intelligent interest interests internet inv investing io iowa ip islands israel issuer its ivy jack jacobs jain jasons jay jefferson jewellers jmwtx johnson joseph jp jr jul jun juniper jupiter just ka kb kent kentucky key kings knight lakes landfill landing landmark large lasalle lawrence lazard lb leaders leaf legal lender lenders leonis level levered lewis lexington li libremax license lifestyle lighthouse link lion liquidity lithium little live liverpool lloyd lo loans local lodging logic los low magnolia maintenance malta man maple mar marathon marina maritime marshall mason massachusetts matrix max may mb md me meadow medicine member members merchant mercury mesa metal metro mf mfs mh mhc mhp mi michael michigan micro midland milestone miller mills mineral mines minnesota missouri mitie mitte mm mo modern molecular momentum monarch monroe moore morris mosaic moving mp mr muzinich mvp na nationwide ne nevada newco newport news nexpoint nicholas nine nippon noble nordic northeast northstar not note notes nottingham nu nuclear nurseries nursing nw oaks oasis oca ocean odyssey oklahoma omega onex online ontario opco operator oppenheimer option or orange orchard organic origin orion os outdoor ownership oz palm pan paper paradigm paragon parker parks parts pas pathfinder patriot paul payroll pc pearl peg penn pennsylvania peoples perfect personal pet peter pf pg pgim phase physical pi pictures pizza pl plains planet plant plastics play plc plymouth pm pointe polaris pool port portland prairie pre prestige primary principals processing produce production protection provident ps publishing puerto pure pv qof qualified quant quantitative queen quest ra racing raiffeisen raiffeisenkasse railway ram rare rated rbc rc rcp rd realisations realtyshares recursos recycling reed regency renaissance renewables rental reserve resort rh rice richard richmond rico rio rivers rm robinson rocky rolling room rose ross round row royalties rp rs run rural russell rv safe safety sai sali santa santander savings saxecap sb sbic scf sci scientific scottish scp scs second sector securitization sentinel settlement sf sfr sg sh share shared shaw shield shop shopping shore shree shri side sif sigma signature silicon silverstone six sk sm sma sof solicitors son sound source southeast southwest sovereign spac spacex spark spe specialist spire spirits springs squad squared stadtsparkasse staff staffing stage startengine stellar stephen store stream student su subsidiary sud sunrise sunshine super supplies sv sw swan swiss syndicates synergy ta taiwan tc tcw td technical templeton ten tennessee terrace therapy thompson thrivent tiger timber time title tn token toll top town traded traders trail training trans transfer transmission treasury trident triple triumph truck true trustee ts turner twin ultra umami unity unlevered unpopular uranium utah utilities utility vale valor vaneck vantage vauban vb ve vector velocity verde via victory vida view viking virtus volatility voya vr vs vuvp wa wagmi wales warehousing way we wefunds well wells westwood wi wild will willow wilshire wilson wind windsor wireless wisconsin wise with worth wp xix xviii xxi xxiv yorkshire young your ys zero zone zweckverbandssparkasse',
  ],
  [
    10,
    'acceptance ace act action adaptive advent advertising ae agent ah alabama alaska align angle antares antonio apr apts argentina arlington arthur asian astra athletic austria authority automobile bad base bath baxter bbh bedford bella beteiligungs bird bishop boulder brain bravo brazil bridgewater brigade builder burst buyout caixa cal calamos calvert can capitol cascade caz cbl ccp cer chandler change charlotte cherry cincinnati clarion clarke cohen coin commonfund complete computer connection container contracts covenant craft crossroads ct currency cvr cyber daily dairy dallas dated dec delivery delphi derby dividenz dl dollar double dreyfus ea eb eclipse edinburgh elm emea empower environment ep era ethereum events expansion experience eye fa fairfield farmland fit focused fof frank freight fruit full fun fundrise fw gamma gardens gathering germany gestao giant gift gl glen goldentree gps gr grammar greenwich grey gulf gupta ha hampshire hanover harmony harvey he henry hg hig highlands hl ho hollow hope host hps hughes hunter huntington hy hydro icf icon ig imports indonesia inland integral intrepid iqvia iris ironwood ishares jan jpmorgan kansas kingdom korea kw lafayette lakeside landesbank latitude law lc leeds legend lg lighting lincolnshire lineage lm logan louisiana mac macquarie magellan magic magnetar managment maryland matthew mcm mercer metropolitan miami midco midway mile mimg mini mitchell mj mob moon morrison mpc mustang nano natixis nelson nest netherlands newton ni nj nomura norse np number nv october oha oliver options opus oregon origination orlando osprey parkway party path pegasus per perpetual ph pnc po popular precious preservation princeton product prosperity protective proteus providence pub puma purpose rainier range rb reach reinsurance rent repair response rhino ride ro rush saastopankki sandy sapphire sas sax scotia scout search sei sept sheffield siemens signal signet single skyline sociedad sofi sol solana spirit spot spruce spvs stack stanley start stichting stonebridge stonepeak summer superior surrey susquehanna tampa tandem taxable tb tea teachers thru ti together tools tour townhomes tractors trend triton trusts tsi tu unipessoal unique vault vertical vg victoria vp walker walter warren waters westminster wh what wholesale win wine winston wr wright xai xl xvii xx xxii ze zenith',
  ],
]

const counts = new Map(
  wordsByCount.flatMap(([count, words]) => words.split(' ').map((word) => [word, count] as const)),
)

/** Words of many names. */
export const usualWords: readonly string[] = [...counts.keys()]

/** Of a trade or a place in East Asia whose English word is rare. */
const asianCountMin = 160

/** Number of 100,000 names with a word, about; 0 for rare words. */
export function getUsualCount(word: string): number {
  const english = asianWords.get(word)
  return Math.max(
    counts.get(word) ?? 0,
    english === undefined ? 0 : Math.max(counts.get(english) ?? 0, asianCountMin),
  )
}
