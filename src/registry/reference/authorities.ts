/** A register of companies, by its code in the GLEIF list of registration authorities. */
export interface AuthorityFacts {
  readonly name: string
  readonly organization: string
  /** Lower case, `us_de` or `gb`. */
  readonly jurisdiction: string
  readonly countryCode: string
  readonly website: string
}

/** `code | jurisdiction | register | who keeps it | website`: the registers most companies of note stand in. */
const table = `
RA000014 | au | Register of Companies | Australian Securities and Investments Commission | https://asic.gov.au
RA000017 | at | Commercial Register (Firmenbuch) | Federal Ministry of Justice | https://justizonline.gv.at
RA000025 | be | Crossroads Bank for Enterprises | Federal Public Service Economy | https://kbopub.economie.fgov.be
RA000028 | bm | Companies Register | Registrar of Companies | https://www.roc.gov.bm
RA000072 | ca | Corporate Registry | Corporations Canada | https://ised-isde.canada.ca
RA000079 | ca_on | Ontario Business Registry | Ministry of Public and Business Service Delivery | https://www.ontario.ca
RA000081 | ca_qc | Enterprise Register | Registraire des entreprises | https://www.registreentreprises.gouv.qc.ca
RA000086 | ky | Registry of Companies | General Registry | https://www.ciregistry.ky
RA000092 | cn | National Enterprise Credit Information Publicity System | State Administration for Market Regulation | https://www.gsxt.gov.cn
RA000163 | cz | Commercial Register | Ministry of Justice | https://or.justice.cz
RA000170 | dk | Central Business Register | Danish Business Authority | https://datacvr.virk.dk
RA000188 | fi | Business Information System | Finnish Patent and Registration Office | https://www.prh.fi
RA000189 | fr | Sirene | National Institute of Statistics and Economic Studies | https://www.sirene.fr
RA000192 | fr | Register of Commerce and Companies | Infogreffe | https://www.infogreffe.fr
RA000217 | de | Commercial Register of Berlin (Charlottenburg) | Local Court Berlin-Charlottenburg | https://www.handelsregister.de
RA000242 | de | Commercial Register of Frankfurt am Main | Local Court Frankfurt am Main | https://www.handelsregister.de
RA000388 | hk | Companies Register | Companies Registry | https://www.cr.gov.hk
RA000394 | in | Companies Register | Ministry of Corporate Affairs | https://www.mca.gov.in
RA000402 | ie | Companies Register | Companies Registration Office | https://www.cro.ie
RA000407 | it | Business Register | InfoCamere | https://www.registroimprese.it
RA000412 | jp | Commercial Register | Legal Affairs Bureaus | https://www1.touki.or.jp
RA000414 | je | Company Registry | Jersey Financial Services Commission | https://www.jerseyfsc.org
RA000419 | kr | Corporation Register | Supreme Court Registry | http://www.iros.go.kr
RA000432 | lu | Trade and Companies Register | Luxembourg Business Registers | https://www.lbr.lu
RA000439 | my | Corporate Registry | Companies Commission of Malaysia | https://www.ssm.com.my
RA000463 | nl | Business Register | Netherlands Chamber of Commerce | https://www.kvk.nl
RA000466 | nz | Companies Register | Companies Office | https://companies-register.companiesoffice.govt.nz
RA000472 | no | Register of Business Enterprises | Brønnøysund Register Centre | https://www.brreg.no
RA000484 | pl | National Court Register | Ministry of Justice | https://ekrs.ms.gov.pl
RA000487 | pt | Commercial Register | Institute of Registries and Notary | https://www.irn.mj.pt
RA000513 | sa | Commercial Register | Ministry of Commerce | https://mc.gov.sa
RA000523 | sg | Business Registry | Accounting and Corporate Regulatory Authority | https://www.acra.gov.sg
RA000531 | za | Companies Register | Companies and Intellectual Property Commission | https://www.cipc.co.za
RA000533 | es | Commercial Registry | Registrars of Spain | https://www.registradores.org
RA000544 | se | Companies Register | Swedish Companies Registration Office | https://www.bolagsverket.se
RA000548 | ch | UID Register | Federal Statistical Office | https://www.uid.admin.ch
RA000549 | ch | Commercial Register | Federal Office of Justice | https://www.zefix.ch
RA000585 | gb | Companies Register (England and Wales) | Companies House | https://www.gov.uk/government/organisations/companies-house
RA000586 | gb | Companies Register (Northern Ireland) | Companies House | https://www.gov.uk/government/organisations/companies-house
RA000587 | gb | Companies Register (Scotland) | Companies House | https://www.gov.uk/government/organisations/companies-house
RA000594 | us_ak | Corporations Registry | Division of Corporations, Business and Professional Licensing | http://commerce.alaska.gov
RA000595 | us_al | Government Records | Alabama Secretary of State | https://www.sos.alabama.gov
RA000596 | us_ar | Business and Commercial Services | Arkansas Secretary of State | https://www.sos.arkansas.gov
RA000597 | us_az | Corporations Division | Arizona Corporation Commission | http://ecorp.azcc.gov
RA000598 | us_ca | Business Entity Records | California Secretary of State | https://www.sos.ca.gov
RA000599 | us_co | Business Division | Colorado Secretary of State | https://www.sos.state.co.us
RA000600 | us_ct | Commercial Recording Division | Connecticut Secretary of the State | http://www.concord-sots.ct.gov
RA000601 | us_dc | Corporations Division | District of Columbia Department of Consumer and Regulatory Affairs | https://corp.dcra.dc.gov
RA000602 | us_de | Delaware Division of Corporations | Delaware Department of State | https://corp.delaware.gov
RA000603 | us_fl | Florida Division of Corporations | Florida Department of State | https://dos.fl.gov/sunbiz
RA000604 | us_ga | Corporations Division | Georgia Secretary of State | https://ecorp.sos.ga.gov
RA000605 | us_hi | Business Registration Division | Hawaii Department of Commerce and Consumer Affairs | https://hbe.ehawaii.gov
RA000606 | us_ia | Business Services | Iowa Secretary of State | https://www.sos.iowa.gov
RA000607 | us_id | Business Services | Idaho Secretary of State | http://www.accessidaho.org
RA000608 | us_il | Business Services | Illinois Secretary of State | https://www.cyberdriveillinois.com
RA000609 | us_in | Business Services | Indiana Secretary of State | https://bsd.sos.in.gov
RA000610 | us_ks | Business Center | Kansas Secretary of State | https://www.kansas.gov
RA000611 | us_ky | Business Services | Kentucky Secretary of State | https://app.sos.ky.gov
RA000612 | us_la | Corporations Section | Louisiana Secretary of State | https://coraweb.sos.la.gov
RA000613 | us_ma | Corporations Division | Massachusetts Secretary of the Commonwealth | https://corp.sec.state.ma.us
RA000614 | us_md | Business Services | Maryland Department of Assessments and Taxation | https://dat.maryland.gov
RA000615 | us_me | Division of Corporations | Maine Department of the Secretary of State | https://icrs.informe.org
RA000616 | us_mi | Corporations Division | Michigan Department of Licensing and Regulatory Affairs | https://www.michigan.gov/lara
RA000617 | us_mn | Business Services | Minnesota Secretary of State | https://www.sos.mn.gov
RA000618 | us_mo | Corporations Unit | Missouri Secretary of State | https://bsd.sos.mo.gov
RA000619 | us_ms | Business Services | Mississippi Secretary of State | https://corp.sos.ms.gov
RA000620 | us_mt | Corporate Records | Montana Secretary of State | https://app.mt.gov
RA000621 | us_nc | Corporations Division | North Carolina Secretary of State | https://www.sosnc.gov
RA000622 | us_nd | Business Services | North Dakota Secretary of State | https://apps.nd.gov
RA000623 | us_ne | Business Services | Nebraska Secretary of State | https://www.nebraska.gov
RA000624 | us_nh | Corporation Division | New Hampshire Secretary of State | https://www.sos.nh.gov
RA000625 | us_nj | Business Records Service | New Jersey Division of Revenue and Enterprise Services | https://www.njportal.com
RA000626 | us_nm | Business Services Center | New Mexico Secretary of State | https://portal.sos.state.nm.us
RA000627 | us_nv | Business Center | Nevada Secretary of State | https://www.nvsos.gov
RA000628 | us_ny | Corporation and Business Entity Database | New York Department of State | https://dos.ny.gov
RA000629 | us_oh | Corporation Database | Ohio Secretary of State | https://www.ohiosos.gov
RA000630 | us_ok | Business Filing Department | Oklahoma Secretary of State | https://www.sos.ok.gov
RA000631 | us_or | Corporation Division | Oregon Secretary of State | https://sos.oregon.gov
RA000632 | us_pa | Bureau of Corporations | Pennsylvania Department of State | https://www.dos.pa.gov
RA000633 | us_ri | Division of Business Services | Rhode Island Secretary of State | http://ucc.state.ri.us
RA000634 | us_sc | Business Filings | South Carolina Secretary of State | https://www.sos.sc.gov
RA000635 | us_sd | Business Services | South Dakota Secretary of State | https://sos.sd.gov
RA000636 | us_tn | Business Services | Tennessee Department of State | https://tnbear.tn.gov
RA000637 | us_tx | Corporations Section | Texas Secretary of State | https://www.sos.state.tx.us
RA000638 | us_ut | Division of Corporations and Commercial Code | Utah Department of Commerce | https://secure.utah.gov
RA000639 | us_va | Clerk's Information System | State Corporation Commission | https://www.scc.virginia.gov
RA000640 | us_vt | Corporations Division | Vermont Secretary of State | https://www.vtsosonline.com
RA000641 | us_wa | Corporations Division | Washington Secretary of State | https://www.sos.wa.gov
RA000642 | us_wi | Corporation Section | Wisconsin Department of Financial Institutions | https://www.wdfi.org
RA000643 | us_wv | Business and Licensing | West Virginia Secretary of State | http://apps.sos.wv.gov
RA000644 | us_wy | Business Center | Wyoming Secretary of State | https://wyobiz.wy.gov
RA000665 | us | EDGAR | Securities and Exchange Commission | https://www.sec.gov`

const authorities = new Map<string, AuthorityFacts>()
for (const line of table.trim().split('\n')) {
  const [code = '', jurisdiction = '', name = '', organization = '', website = ''] = line.split(' | ')
  authorities.set(code, {
    name,
    organization,
    jurisdiction,
    countryCode: jurisdiction.slice(0, 2).toUpperCase(),
    website,
  })
}

/** The register of a state of the United States, by jurisdiction: `us_de`. One state keeps one. */
const ofStates = new Map(
  [...authorities].flatMap(([code, { jurisdiction }]): [string, string][] =>
    jurisdiction.startsWith('us_') ? [[jurisdiction, code]] : [],
  ),
)

/** The register of companies of a state, `us_de`; null for any other jurisdiction. */
export function stateAuthority(jurisdiction: string): string | null {
  return ofStates.get(jurisdiction) ?? null
}

export const edgarAuthority = 'RA000665'

/**
 * Which of the three registers of Companies House a number is of, by its letters: Scotland and Northern Ireland keep
 * registers of their own. Null for what is no number of a company: mutual societies have a register elsewhere.
 */
export function companiesHouseAuthority(companyNumber: string): string | null {
  if (!/^[A-Z0-9]{8}$/.test(companyNumber) || /^(?:IP|RS|SP|NP|NO)/.test(companyNumber)) return null
  if (companyNumber.startsWith('S')) return 'RA000587'
  return /^(?:N|R0)/.test(companyNumber) ? 'RA000586' : 'RA000585'
}

/** What is known of a registration authority; null where the table holds none of that code. */
export function authorityFacts(code: string): AuthorityFacts | null {
  return authorities.get(code) ?? null
}
