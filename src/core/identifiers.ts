import type { IdentifierType } from '../contract/enums.js'

/** Kinds of identifiers that a row can have, in order of trust, with their names in texts. */
export const identifierNames = {
  lei: 'LEI',
  cik: 'CIK',
  registration_id: 'company number',
  ein: 'EIN',
  bic: 'BIC',
  ticker: 'ticker',
  website: 'website',
  email: 'e-mail',
} as const
export type IdentifierKey = keyof typeof identifierNames
export const identifierKeys = Object.keys(identifierNames) as readonly IdentifierKey[]

const furtherNumberKeys = ['registration_id_2', 'registration_id_3', 'registration_id_4'] as const
/** Columns of company numbers, in the order in which the numbers of a row are tried. */
export const numberKeys = ['registration_id', ...furtherNumberKeys] as const

const placeKeys = ['registration_country', 'registration_court', 'exchange'] as const
/** The register and court of a company number, the exchange of a ticker, and further columns of company numbers. */
export const identifierPlaceKeys = [...placeKeys, ...furtherNumberKeys] as const
export type IdentifierPlaceKey = (typeof identifierPlaceKeys)[number]

/** Keys whose columns have headers of their own. */
export type IdentifierHeaderKey = IdentifierKey | (typeof placeKeys)[number]

/** Input columns by kind of identifier. */
export type IdentifierColumns = {
  readonly [Key in IdentifierKey | IdentifierPlaceKey]?: string | undefined
}

/** Lists the identifier columns, without their places, the strongest first. */
export const listIdentifierColumns = (columns: IdentifierColumns): { key: IdentifierKey; column: string }[] =>
  identifierKeys.flatMap((key) => {
    const column = columns[key]
    return column === undefined ? [] : [{ key, column }]
  })

/** An identifier in its canonical form, or the reason why it is not valid. */
export type CanonicalIdentifier = { readonly value: string } | { readonly reason: string }

/**
 * Returns the canonical form of an identifier, for storage, comparison and output. LEI: 20 characters, ISO 7064 mod
 * 97-10 checked. CIK: ten digits, leading zeros. EIN: nine digits, no dash. BIC: eight or eleven characters, upper
 * case. DUNS: nine digits. Ticker and registration number: upper case, trimmed.
 */
export function toCanonicalIdentifier(type: IdentifierType, text: string): CanonicalIdentifier {
  if (type === 'registration_id') {
    const value = text.trim().toUpperCase().replace(/\s+/g, ' ')
    return value.length > 0 && value.length <= 60
      ? { value }
      : { reason: `registration number "${text.slice(0, 20)}" is empty or longer than 60 characters` }
  }
  const closed = text.toUpperCase().replace(/[\s\u00a0]+/g, '')
  switch (type) {
    case 'lei':
      return checkLei(closed)
    case 'cik':
    case 'sec_cik':
      return /^\d{1,10}$/.test(closed) && Number(closed) > 0
        ? { value: closed.padStart(10, '0') }
        : { reason: `CIK "${text}" is not a number of at most ten digits` }
    case 'ein': {
      const digits = closed.replaceAll('-', '')
      return /^\d{9}$/.test(digits) && !/^0+$/.test(digits)
        ? { value: digits }
        : { reason: `EIN "${text}" does not have nine digits` }
    }
    case 'duns': {
      const digits = closed.replaceAll('-', '')
      return /^\d{9}$/.test(digits)
        ? { value: digits }
        : { reason: `DUNS "${text}" does not have nine digits` }
    }
    case 'bic':
      return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(closed)
        ? { value: closed }
        : { reason: `BIC "${text}" does not have the form of a BIC` }
    case 'ticker': {
      const symbol = text.trim().toUpperCase()
      return /^[A-Z0-9][A-Z0-9.\-/]{0,14}$/.test(symbol)
        ? { value: symbol }
        : { reason: `ticker "${text}" is not one symbol` }
    }
  }
}

function checkLei(lei: string): CanonicalIdentifier {
  if (!/^[A-Z0-9]{18}\d{2}$/.test(lei))
    return { reason: `LEI "${lei.slice(0, 24)}" does not have the form of an LEI` }
  let remainder = 0
  for (const character of lei) {
    for (const digit of String(parseInt(character, 36))) remainder = (remainder * 10 + Number(digit)) % 97
  }
  return remainder === 1 ? { value: lei } : { reason: `LEI "${lei}" fails its checksum` }
}

/** Ids that the service creates; safe in a URL path. */
const entityIdPattern = /^siq_[\w.~-]{1,200}$/

/** Whether a text has the form of a company's id (`siq_…`). */
export const isEntityId = (text: string): boolean => entityIdPattern.test(text)

/** Describes which id a text without the form of a company's id needs to be. */
export const describeEntityId = (text: string): string =>
  text.trim().toLowerCase().startsWith('le_')
    ? 'ids with le_ are of registrations; take that of the company, which begins with siq_ (`entityId` in `enrich registry search --json`)'
    : 'company ids begin with siq_'

const splitList = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Free mailboxes, and those of internet access providers. */
const mailProviders = splitList(`
gmail.com googlemail.com outlook.com outlook.de outlook.fr outlook.es outlook.it outlook.jp outlook.com.br hotmail.com
hotmail.de hotmail.fr hotmail.it hotmail.es hotmail.nl hotmail.be hotmail.se hotmail.no hotmail.dk hotmail.ca hotmail.co.uk
hotmail.com.br hotmail.com.ar live.com live.de live.fr live.it live.nl live.be live.se live.no live.dk live.ca live.cn
live.co.uk live.com.au live.com.mx live.com.pt msn.com windowslive.com passport.com
yahoo.com yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.ca yahoo.in yahoo.co.uk yahoo.co.jp yahoo.co.in yahoo.co.id yahoo.co.kr
yahoo.co.nz yahoo.co.za yahoo.com.br yahoo.com.ar yahoo.com.mx yahoo.com.au yahoo.com.cn yahoo.com.hk yahoo.com.ph
yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.gr yahoo.ie yahoo.no yahoo.pl yahoo.ro yahoo.se yahoo.dk yahoo.cn
ymail.com rocketmail.com myyahoo.com aol.com aol.de aol.fr aol.co.uk aim.com netscape.net
icloud.com me.com mac.com proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.io tuta.com
zohomail.com fastmail.com fastmail.fm hushmail.com hush.com mailfence.com posteo.de posteo.net mailbox.org runbox.com
disroot.org riseup.net startmail.com hey.com duck.com mail.com email.com usa.com post.com consultant.com engineer.com
europe.com iname.com myself.com techie.com lycos.com excite.com juno.com netzero.net netzero.com inbox.com gmx.com
gmx.net gmx.de gmx.at gmx.ch gmx.fr gmx.es gmx.co.uk gmx.us web.de freenet.de t-online.de arcor.de online.de email.de
kabelmail.de 1und1.de ewetel.net chello.at aon.at bluewin.ch hispeed.ch sunrise.ch
orange.fr wanadoo.fr free.fr sfr.fr laposte.net neuf.fr numericable.fr bbox.fr aliceadsl.fr club-internet.fr voila.fr
caramail.com skynet.be telenet.be proximus.be scarlet.be ziggo.nl kpnmail.nl kpnplanet.nl planet.nl xs4all.nl hetnet.nl
home.nl upcmail.nl casema.nl chello.nl quicknet.nl solcon.nl tele2.nl
libero.it virgilio.it alice.it tin.it tiscali.it inwind.it iol.it fastwebnet.it email.it teletu.it
pec.it legalmail.it arubapec.it telefonica.net terra.es ono.com ya.com sapo.pt clix.pt netcabo.pt
btinternet.com btopenworld.com sky.com virginmedia.com ntlworld.com blueyonder.co.uk talktalk.net tiscali.co.uk
plusnet.com o2.co.uk eircom.net iolfree.ie
comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net
windstream.net centurylink.net roadrunner.com rr.com twc.com pacbell.net ameritech.net swbell.net prodigy.net mindspring.com
shaw.ca rogers.com sympatico.ca telus.net videotron.ca bell.net cogeco.ca
bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au westnet.com.au xtra.co.nz
spray.se tele2.se bredband.net comhem.se home.se online.no frisurf.no broadpark.no getmail.no
jubii.dk tdcadsl.dk mail.dk ofir.dk kolumbus.fi luukku.com suomi24.fi elisanet.fi inet.fi
mail.ru bk.ru list.ru inbox.ru internet.ru yandex.ru yandex.com yandex.by yandex.kz yandex.ua ya.ru rambler.ru lenta.ru
ukr.net i.ua bigmir.net meta.ua tut.by mail.by inbox.lv
wp.pl o2.pl onet.pl onet.eu interia.pl interia.eu op.pl gazeta.pl tlen.pl poczta.fm vp.pl autograf.pl
seznam.cz email.cz post.cz centrum.cz volny.cz atlas.cz azet.sk zoznam.sk centrum.sk pobox.sk
freemail.hu citromail.hu indamail.hu vipmail.hu t-online.hu abv.bg mail.bg dir.bg otenet.gr forthnet.gr hol.gr
net.hr siol.net mynet.com superonline.com ttmail.com walla.com walla.co.il bezeqint.net netvision.net.il
qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com tom.com 139.com 189.cn wo.cn aliyun.com 21cn.com
naver.com daum.net hanmail.net nate.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com biglobe.ne.jp
ocn.ne.jp so-net.ne.jp plala.or.jp hi-net.net hinet.net pchome.com.tw seed.net.tw
rediffmail.com rediff.com indiatimes.com sify.com vsnl.com vsnl.net bsnl.in airtelmail.in
uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com oi.com.br r7.com zipmail.com.br
fibertel.com.ar arnet.com.ar speedy.com.ar ciudad.com.ar prodigy.net.mx une.net.co vtr.net entelchile.net
mweb.co.za telkomsa.net vodamail.co.za webmail.co.za iafrica.com emirates.net.ae iway.na iafrica.com.na mweb.com.na mweb.na absamail.co.za lantic.net polka.co.za botsnet.bw realnet.co.sz swazi.net leo.co.ls zol.co.zw yoafrica.com mweb.co.zw ecoweb.co.zw africaonline.co.zw zamnet.zm malawi.net globemw.net sdnp.org.mw africa-online.net tvcabo.co.mz intra.co.mz netangola.com ebonet.net snet.co.ao raha.com cats-net.com africaonline.co.tz africaonline.co.ke wananchi.com swiftkenya.com jambo.co.ke kenyaweb.com net2000ke.com utlonline.co.ug infocom.co.ug swiftuganda.com africaonline.co.ug rwanda1.com cbinf.com usan-bu.net ethionet.et intnet.dj africaonline.com.gh ighmail.com 4u.com.gh idngh.com aviso.ci africaonline.co.ci orange.sn sentoo.sn metissacana.sn telecomplus.sn camnet.cm iccnet.cm creolink.net orange.cm afribone.net.ml fasonet.bf cenatrin.bf liptinfor.bf intnet.ne intnet.bj firstnet.bj internetgabon.com moov.mg blueline.mg wanadoo.mg dts.mg simicro.mg intnet.mu orange.mu myt.mu seychelles.net seychelles.sc menara.ma iam.net.ma wanadoopro.ma planet.tn gnet.tn tunet.tn djaweb.dz link.net tedata.net.eg linkdotnet.com soficom.com.eg sudanmail.net sudanet.net ltt.ly lttnet.net qanet.gm ganet.gm caucasus.net wanex.net posta.ge mail.ge arminco.com xter.net netsys.am freenet.am azerin.com azdata.net box.az mail.az nursat.kz online.kz mail.kz kaznet.kz elcat.kg mail.kg online.kg totel.kg freenet.tj tajik.net uzpak.uz mail.uz umail.uz inbox.uz magicnet.mn mongol.net racsa.co.cr ice.co.cr costarricense.cr amnet.co.cr cwpanama.net cableonda.net psi.net.pa sinfo.net turbonett.com intelnett.com guate.net itelgua.com intelnet.net.gt salnet.net amnetsal.com cablecolor.hn hondudata.com ibw.com.ni cablenet.com.ni btl.net coral-wave.com cwjamaica.com kasnet.com infochan.com tstt.net.tt carib-link.net caribsurf.com sunbeach.net candw.lc candw.ag codetel.net.do claro.net.do haitiworld.com hainet.net batelnet.bs coralwave.com cw.ky candw.ky setarnet.aw curinfo.an guyana.net.gy networksgy.com nauta.cu
`)

/** Disposable mailboxes. */
const disposable = splitList(`
mailinator.com guerrillamail.com guerrillamail.net guerrillamail.org guerrillamail.biz guerrillamail.de guerrillamailblock.com
sharklasers.com grr.la pokemail.net spam4.me 10minutemail.com 10minutemail.net 10minmail.com 20minutemail.com tempmail.com
temp-mail.org temp-mail.io tempmail.net tempmail.dev tempmailo.com tempr.email tempinbox.com temporary-mail.net
throwawaymail.com throwam.com trashmail.com trashmail.de trashmail.net trashmail.me trash-mail.com trash-mail.de
wegwerfmail.de wegwerfmail.net wegwerfemail.de yopmail.com yopmail.fr yopmail.net jetable.org jetable.com
jetable.net maildrop.cc mailnesia.com mailcatch.com mailnull.com mytrashmail.com mailexpire.com mailmoat.com
dispostable.com discard.email discardmail.com discardmail.de getairmail.com getnada.com nada.email fakeinbox.com
fakemailgenerator.com mohmal.com moakt.com moakt.cc emailondeck.com emailfake.com generator.email burnermail.io
incognitomail.org anonbox.net spamgourmet.com spambox.us spamex.com spamfree24.org spam.la spamdecoy.net
mintemail.com mt2015.com mailforspam.com inboxkitten.com inboxbear.com minuteinbox.com luxusmail.org
linshiyouxiang.net harakirimail.com tmail.ws tmailor.com dropmail.me 33mail.com armyspy.com cuvox.de dayrep.com
einrot.com fleckens.hu gustr.com jourrapide.com rhyta.com superrito.com teleworm.us mailsac.com tmpmail.org
tmpmail.net internxt.com eyepaste.com crazymailing.com owlymail.com nospam.today byom.de muellmail.com sofort-mail.de
`)

/** Social networks, marketplaces, site builders and link shorteners. */
const platforms = splitList(`
facebook.com fb.com fb.me m.me instagram.com linkedin.com lnkd.in twitter.com x.com t.co youtube.com youtu.be vimeo.com
tiktok.com pinterest.com snapchat.com threads.net tumblr.com reddit.com vk.com ok.ru weibo.com xing.com
t.me telegram.me whatsapp.com wa.me discord.gg discord.com medium.com substack.com linktr.ee linktree.com bio.link
crunchbase.com wikipedia.org wikidata.org github.com gitlab.com bitbucket.org goo.gl g.co g.page bit.ly tinyurl.com
google.com google.de google.co.uk business.site blogspot.com wordpress.com wixsite.com wix.com weebly.com squarespace.com
jimdo.com jimdofree.com jimdosite.com webnode.com webs.com site123.me strikingly.com godaddysites.com webflow.io
notion.site carrd.co shopify.com myshopify.com etsy.com ebay.com ebay.de ebay.co.uk amazon.com amazon.de amazon.co.uk
alibaba.com aliexpress.com 1688.com taobao.com indiamart.com yelp.com yelp.de tripadvisor.com trustpilot.com glassdoor.com
indeed.com bloomberg.com zoominfo.com apollo.io dnb.com opencorporates.com northdata.de northdata.com yellowpages.com
gelbeseiten.de pagesjaunes.fr paginegialle.it yell.com foursquare.com booking.com airbnb.com opentable.com doordash.com
ubereats.com eventbrite.com kickstarter.com gofundme.com paypal.me behance.net dribbble.com soundcloud.com spotify.com
dropbox.com calendly.com typeform.com
`)

type SharedDomain = 'mail provider' | 'disposable' | 'platform'

const kinds = new Map<string, SharedDomain>([
  ...platforms.map((domain) => [domain, 'platform'] as const),
  ...disposable.map((domain) => [domain, 'disposable'] as const),
  ...mailProviders.map((domain) => [domain, 'mail provider'] as const),
])

/** Returns the kind of a root domain that many share, so that it identifies no company; null for another one. */
export const classifyDomain = (rootDomain: string): SharedDomain | null => kinds.get(rootDomain) ?? null
