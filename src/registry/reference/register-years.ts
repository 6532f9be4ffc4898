/** Registers that number in order, and the month in which each had come so far, about: `number month`. */
const cikTable = `
1000000 1995-09 1050000 1997-11 1075000 1998-12 1100000 1999-11 1150000 2001-09 1200000 2002-10 1250000 2003-07
1300000 2004-08 1350000 2006-01 1400000 2007-05 1450000 2008-11 1500000 2010-09 1550000 2012-05 1600000 2014-02
1650000 2015-08 1700000 2017-03 1750000 2018-08 1800000 2020-01 1850000 2021-03 1900000 2021-12 1950000 2022-10
2000000 2023-11 2050000 2025-01 2100000 2025-12`

const companiesHouseTable = `
3000000 1994-12 3500000 1998-02 4000000 2000-05 4200000 2001-04 4500000 2002-08 5000000 2003-12 5500000 2005-07 6000000 2006-11 7000000 2009-08 8000000 2012-03 9000000 2014-04
10000000 2016-02 11000000 2017-10 12000000 2019-05 13000000 2020-11 14000000 2022-03 15000000 2023-07 16000000 2024-10`

interface Anchor {
  readonly number: number
  readonly month: string
}

function anchorsOf(table: string): Anchor[] {
  const parts = table.trim().split(/\s+/)
  return parts.flatMap((part, index) =>
    index % 2 === 0 ? [{ number: Number(part), month: parts[index + 1] ?? '' }] : [],
  )
}

const cikAnchors = anchorsOf(cikTable)
const companiesHouseAnchors = anchorsOf(companiesHouseTable)

/** The month, `YYYY-MM`, by which the SEC had given a CIK; null for one that is younger than the table. */
export function cikGivenBy(cik: string): string | null {
  return cikAnchors.find(({ number }) => Number(cik) <= number)?.month ?? null
}

/** The month, `YYYY-MM`, after which a company of England or Wales was formed, by its number; null where it does not say. */
export function companyFormedAfter(companyNumber: string): string | null {
  if (!/^\d{7,8}$/.test(companyNumber)) return null
  return companiesHouseAnchors.findLast(({ number }) => Number(companyNumber) >= number)?.month ?? null
}
