import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { importFile, fileFormats, type FormatName } from '../../../src/registry/import/file-formats.js'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  companyData,
  importContent,
  lei,
  levelOne,
  levelOneCsv,
  levelOneJson,
  levelTwoCsv,
  registrationsOf,
  subTable,
  tickersJson,
} from '../../support/register-files.js'
import { temporaryFolder } from '../../support/registry.js'
import { writeZip, type ZippedFile } from '../../support/zip-file.js'
import { errorWith } from '../../support/error-with.js'

const open = () => openRegistry(':memory:')
const rows = [levelOne.ford, levelOne.ball]
const csv: ZippedFile = { name: '20240505-gleif-goldencopy-lei2.csv', content: levelOneCsv(rows) }

async function importBytes(format: FormatName, bytes: Buffer | string, fileName = 'file') {
  const registry = open()
  return { registry, result: await importContent(registry, format, bytes, { fileName }) }
}

async function importZip(format: FormatName, files: readonly ZippedFile[], mend = (path: string) => path) {
  const registry = open()
  const path = mend(writeZip(temporaryFolder(), 'file.zip', files))
  return { registry, result: await importFile(registry, { format, path }) }
}

describe('packing', () => {
  it('plain, gzip and zip give the same, whatever the file is called', async () => {
    const plain = await importBytes('gleif', csv.content)
    const expected = registrationsOf(plain.registry)
    const others = [
      await importBytes('gleif', gzipSync(csv.content), 'lei.zip'),
      await importBytes('gleif', `\ufeff${levelOneCsv(rows)}`),
      await importBytes('gleif', levelOneCsv(rows).replaceAll('\n', '\r\n')),
      await importZip('gleif', [csv]),
      await importZip('gleif', [{ name: 'lei.json', content: levelOneJson(rows) }]),
      await importZip('gleif', [
        { name: '__MACOSX/._lei.csv', content: 'x' },
        csv,
        { name: 'read.me', content: 'x' },
      ]),
    ]
    for (const { registry, result } of others) {
      expect(result).toMatchObject({ importedCount: 2, rejectedCount: 0 })
      expect(registrationsOf(registry)).toEqual(expected)
    }
  })

  it('of the zip of a quarter the SUB table is read', async () => {
    const sub = subTable([{ cik: '2178', name: 'ADAMS', filed: '20210305' }])
    const { result } = await importZip('sec-sub', [
      { name: 'num.txt', content: 'adsh\ttag\n' },
      { name: 'sub.txt', content: sub },
      { name: 'pre.txt', content: 'adsh\treport\n' },
    ])
    expect(result).toMatchObject({ importedCount: 1 })
  })

  it.each<[string, readonly ZippedFile[], string, RegExp]>([
    [
      'several files',
      [csv, { ...csv, name: 'second.csv' }],
      'REGISTRY_IMPORT_INVALID',
      /contains several files$/,
    ],
    [
      'no such file',
      [{ name: 'read.me', content: 'x' }],
      'REGISTRY_IMPORT_INVALID',
      /contains no file of this format$/,
    ],
    ['nothing', [], 'REGISTRY_IMPORT_INVALID', /contains no file of this format$/],
    ['an encrypted file', [{ ...csv, encrypted: true }], 'INPUT_COMPRESSION_CORRUPT', /is encrypted$/],
    [
      'a file that says it is another size',
      [{ ...csv, statedBytes: 10 }],
      'INPUT_COMPRESSION_CORRUPT',
      /is damaged$/,
    ],
    [
      'a file that unpacks to more than registers do',
      [{ name: 'bomb.csv', content: Buffer.alloc(60_000_000) }],
      'INPUT_COMPRESSION_CORRUPT',
      /unpacks to more than 200 times its size$/,
    ],
  ])('a zip of %s is refused, and nothing is held', async (_case, files, code, message) => {
    await expect(importZip('gleif', files)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    })
  })

  it('a zip and a gzip that were cut are refused', async () => {
    const path = writeZip(temporaryFolder(), 'whole.zip', [csv])
    const cut = async (bytes: Buffer) => importBytes('gleif', bytes.subarray(0, bytes.length - 30))
    await expect(cut(readFileSync(path))).rejects.toMatchObject({ code: 'INPUT_COMPRESSION_CORRUPT' })
    await expect(cut(gzipSync(csv.content))).rejects.toMatchObject({ code: 'INPUT_COMPRESSION_CORRUPT' })
  })
})

describe('files of another kind', () => {
  const files: Readonly<Record<FormatName, string>> = {
    gleif: levelOneJson(rows),
    'gleif-relationships': levelTwoCsv([{ child: lei.ball, parent: lei.ford }]),
    'gleif-bic': `LEI,BIC\n${lei.ford},FORDUS33XXX\n`,
    'gleif-isin': `LEI,ISIN\n${lei.ford},US3453708600\n`,
    'lei-cik': `LEI,CIK\n${lei.ford},37996\n`,
    'gleif-authorities': 'Registration Authority Code\nRA000526\n',
    'gleif-legal-forms': 'ELF Code,Entity Legal Form name Local name\nVSZS,s.r.o.\n',
    'sec-tickers': tickersJson([[1, 'One', 'ONE', 'NYSE']]),
    'sec-sub': subTable([{ cik: '1', name: 'One', filed: '20210305' }]),
    'sec-submissions': '{"cik":"1","name":"One"}',
    'sec-names': 'cik,alias\n1,One\n',
    domains: `domain,company\nford.com,${lei.ford}\n`,
    'companies-house': companyData([{ CompanyName: 'A', CompanyNumber: '1' }]),
    wikidata: 'item,itemLabel,cik\nQ1,One,1\n',
  }
  const names = Object.keys(fileFormats) as FormatName[]

  it.each(names)('%s takes no file of any other format', async (format) => {
    for (const [other, content] of Object.entries(files)) {
      if (other === format) continue
      await expect(importBytes(format, content)).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:REGISTRY_IMPORT_INVALID|INPUT_JSON_INVALID)$/) as string,
      })
    }
  })

  it.each(names)('%s refuses an empty file, a missing one and a folder', async (format) => {
    await expect(importBytes(format, '')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:INPUT_EMPTY|INPUT_JSON_INVALID)$/) as string,
    })
    const folder = temporaryFolder()
    const importing = (path: string) => importFile(open(), { format, path })
    await expect(importing(join(folder, 'none'))).rejects.toMatchObject({ code: 'INPUT_NOT_FOUND' })
    await expect(importing(folder)).rejects.toMatchObject({ code: 'INPUT_IS_FOLDER' })
  })

  it.each(names)('%s takes its own', async (format) => {
    const { result } = await importBytes(format, files[format])
    expect(result).toMatchObject({ rowCount: format === 'gleif' ? 2 : 1, rejectedCount: 0 })
  })

  it('a file of which no row can be taken does not remove all that was held', async () => {
    const { registry } = await importBytes('gleif', levelOneCsv(rows))
    const held = registrationsOf(registry)
    for (const text of [levelOneCsv([]), levelOneCsv([{ LEI: 'X' }]), '{"records":[]}']) {
      await expect(importContent(registry, 'gleif', text)).rejects.toMatchObject({
        code: 'REGISTRY_IMPORT_INVALID',
      })
    }
    expect(registrationsOf(registry)).toEqual(held)
  })

  it('JSON that ends in the middle is refused, since what follows would seem to be removed', async () => {
    const text = levelOneJson(rows)
    await expect(importBytes('gleif', text.slice(0, -40))).rejects.toMatchObject(
      errorWith('INPUT_JSON_INVALID', { message: /it is truncated$/ }),
    )
  })
})
