import type { ZippedFile } from './zip-file.js'

/**
 * One table as programs of different kinds write it: texts, one with leading zeros; numbers shown with leading zeros, as
 * an amount and as a share; a day, an instant, a truth, and a text that XML and spreadsheets take for more than that.
 */
export const kindsHeader = 'company_name code zip amount share day instant is_active note'.split(' ')

const note = ' =1+1 <b>&amp; 東芝\nÜ '.replace('<b>', '&lt;b&gt;')
const companies = ['Siemens AG', 'Apple Inc.', 'Müller &amp; Söhne']

/** The rows as text, as CSV has them. */
export const kindsTexts = companies.map((name, index) => [
  name.replace('&amp;', '&'),
  `00${index}`,
  `0123${index}`,
  ['1234.5', '-0.1', '1000000'][index],
  '0.125',
  '2024-02-29',
  '2024-02-29 18:30:00',
  index === 1 ? 'FALSE' : 'TRUE',
  ' =1+1 <b>& 東芝\nÜ ',
])

const amounts = ['1234.5', '-0.1', '1000000']
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

function packageParts(sheetTarget: string, more: readonly string[]): ZippedFile[] {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  const rels = (inside: string) =>
    `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inside}</Relationships>`
  const type = (name: string, kind: string) =>
    `<Override PartName="/xl/${name}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  return [
    {
      name: '[Content_Types].xml',
      content: `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('workbook.xml', 'sheet.main')}${type('worksheets/sheet1.xml', 'worksheet')}${type('styles.xml', 'styles')}${more.includes('sharedStrings') ? type('sharedStrings.xml', 'sharedStrings') : ''}</Types>`,
    },
    { name: '_rels/.rels', content: rels(relation('rId1', 'officeDocument', 'xl/workbook.xml')) },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: rels(
        relation('rId1', 'worksheet', sheetTarget) +
          more.map((part, index) => relation(`rId${index + 2}`, part, `${part}.xml`)).join(''),
      ),
    },
  ]
}

const stylesXml = (formats: string, ids: readonly number[]) =>
  `${declaration}<styleSheet xmlns="${main}"><numFmts count="1">${formats}</numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs><cellXfs count="${ids.length}">${ids.map((id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`

/** As Excel itself: shared texts, places and spans, formats by number, a cached formula, a defined table style. */
export function excelKind(): ZippedFile[] {
  const strings: string[] = []
  const text = (place: string, value: string, style = 0) => {
    if (!strings.includes(value)) strings.push(value)
    return `<c r="${place}" s="${style}" t="s"><v>${strings.indexOf(value)}</v></c>`
  }
  const header = kindsHeader.map((name, index) => text(`${'ABCDEFGHI'.charAt(index)}1`, name)).join('')
  const rows = companies.map((name, index) => {
    const r = index + 2
    return `<row r="${r}" spans="1:9" x14ac:dyDescent="0.25">${text(`A${r}`, name)}${text(`B${r}`, `00${index}`, 1)}<c r="C${r}" s="2"><v>123${index}</v></c><c r="D${r}" s="3"><f>SUM(1,2)</f><v>${amounts[index] ?? ''}</v></c><c r="E${r}" s="4"><v>0.125</v></c><c r="F${r}" s="5"><v>45351</v></c><c r="G${r}" s="6"><v>45351.770833333336</v></c><c r="H${r}" t="b"><v>${index === 1 ? 0 : 1}</v></c>${text(`I${r}`, note)}</row>`
  })
  const sheet = `${declaration}<worksheet xmlns="${main}" xmlns:r="${office}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x14ac" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac"><dimension ref="A1:I4"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData><row r="1" spans="1:9">${header}</row>${rows.join('')}</sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>`
  return [
    ...packageParts('worksheets/sheet1.xml', ['styles', 'sharedStrings']),
    {
      name: 'xl/workbook.xml',
      content: `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><fileVersion appName="xl"/><workbookPr defaultThemeVersion="166925"/><bookViews><workbookView/></bookViews><sheets><sheet name="Kunden 2024" sheetId="1" r:id="rId1"/></sheets><calcPr calcId="191029"/></workbook>`,
    },
    {
      name: 'xl/styles.xml',
      content: stylesXml('<numFmt numFmtId="164" formatCode="00000"/>', [0, 49, 164, 4, 10, 14, 22]),
    },
    {
      name: 'xl/sharedStrings.xml',
      content: `${declaration}<sst xmlns="${main}" count="${strings.length}" uniqueCount="${strings.length}">${strings.map((value) => `<si><t xml:space="preserve">${value}</t></si>`).join('')}</sst>`,
    },
    { name: 'xl/worksheets/sheet1.xml', content: sheet },
  ]
}

/** As writers of Python: targets from the root, every type spelled out, formats spelled out, inline texts. */
export function scriptKind(): ZippedFile[] {
  const text = (place: string, value: string) =>
    `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`
  const header = kindsHeader.map((name, index) => text(`${'ABCDEFGHI'.charAt(index)}1`, name)).join('')
  const rows = companies.map((name, index) => {
    const r = index + 2
    return `<row r="${r}">${text(`A${r}`, name)}${text(`B${r}`, `00${index}`)}<c r="C${r}" s="1" t="n"><v>123${index}</v></c><c r="D${r}" t="n"><v>${amounts[index] ?? ''}</v></c><c r="E${r}" t="n"><v>0.125</v></c><c r="F${r}" s="2" t="n"><v>45351</v></c><c r="G${r}" s="3" t="n"><v>45351.77083333333</v></c><c r="H${r}" t="b"><v>${index === 1 ? 0 : 1}</v></c>${text(`I${r}`, note)}</row>`
  })
  const formats =
    '<numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd"/><numFmt numFmtId="166" formatCode="yyyy-mm-dd h:mm:ss"/>'
  return [
    ...packageParts('/xl/worksheets/sheet1.xml', ['styles']),
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns="${main}"><workbookPr/><sheets><sheet xmlns:r="${office}" name="Sheet" sheetId="1" state="visible" r:id="rId1"/></sheets></workbook>`,
    },
    { name: 'xl/styles.xml', content: stylesXml(formats, [0, 164, 165, 166]) },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<worksheet xmlns="${main}"><sheetPr/><dimension ref="A1:I4"/><sheetData><row r="1">${header}</row>${rows.join('')}</sheetData></worksheet>`,
    },
  ]
}

/** As writers of business systems: a prefix on every name, no places, days of ISO 8601, days counted from 1904. */
export function exportKind(): ZippedFile[] {
  const text = (value: string) => `<x:c t="str"><x:v xml:space="preserve">${value}</x:v></x:c>`
  const rows = companies.map(
    (name, index) =>
      `<x:row>${text(name)}${text(`00${index}`)}<x:c s="1"><x:v>123${index}</x:v></x:c><x:c><x:v>${amounts[index] ?? ''}</x:v></x:c><x:c s="2"><x:v>0.125</x:v></x:c><x:c s="3"><x:v>43889</x:v></x:c><x:c s="4" t="d"><x:v>2024-02-29T18:30:00</x:v></x:c><x:c t="b"><x:v>${index === 1 ? 0 : 1}</x:v></x:c>${text(note)}</x:row>`,
  )
  return [
    ...packageParts('worksheets/sheet1.xml', ['styles']),
    {
      name: 'xl/workbook.xml',
      content: `${declaration}<x:workbook xmlns:x="${main}" xmlns:r="${office}"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="Export" sheetId="1" r:id="rId1"/></x:sheets></x:workbook>`,
    },
    {
      name: 'xl/styles.xml',
      content: stylesXml('<numFmt numFmtId="164" formatCode="00000"/>', [0, 164, 9, 14, 22]),
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `${declaration}<x:worksheet xmlns:x="${main}"><x:sheetData><x:row>${kindsHeader.map(text).join('')}</x:row>${rows.join('')}</x:sheetData></x:worksheet>`,
    },
  ]
}
