import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/core/decisions.js'
import { formatDecisionLine, decisionsHeader } from '../../../src/pipeline/decisions/decision-lines.js'
import {
  changeDecisionsFile,
  readDecisionsFile,
  withDecisionsLock,
} from '../../../src/pipeline/decisions/decisions-file.js'
import { decisionOf, lookupOf } from './support.js'
import { makeFolder } from '../../support/temporary-folder.js'
import { forAllAsync } from '../../support/properties.js'

let folder: string
let path: string

beforeEach(() => {
  folder = makeFolder()
  path = join(folder, 'enrich.decisions.csv')
})

const write = (...decisions: readonly Decision[]) => {
  writeFileSync(path, decisionsHeader + decisions.map(formatDecisionLine).join(''))
}
const read = async (unwritten: readonly Decision[] = []) =>
  (await readDecisionsFile(path, unwritten))?.decisions
const refused = (code: string, message: RegExp) =>
  expect.objectContaining({
    code,
    message: expect.stringMatching(message),
    hint: expect.any(String),
  }) as unknown

describe('a decisions file', () => {
  test('that is not there holds nothing', async () => {
    expect(await readDecisionsFile(path)).toBeNull()
  })

  test('reads as it was written, whatever stands in its texts', async () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 40 })
      .map((value) => value.toWellFormed().replaceAll('\0', '').trim())
    const formula = fc
      .constantFrom('=', '+', '-', '@', "'", "'=", '\u{ff1d}', '')
      .chain((start) => text.map((rest) => (start + rest).trim()))
    const decisions = fc.array(
      fc.record({ name: formula, note: formula, location: formula, by: text, verdict: fc.boolean() }),
      { maxLength: 5 },
    )
    await forAllAsync(200, [decisions], async (texts) => {
      const made = texts.map(({ name, note, location, by, verdict }, index) =>
        decisionOf(`company ${index}`, {
          name,
          note: note || null,
          location: location || null,
          decidedBy: by || 'Ada',
          ...(verdict ? {} : { verdict: 'none', entityId: null, entityName: null }),
        }),
      )
      write(...made)
      expect(await read()).toEqual(made)
    })
  })

  test('that a spreadsheet saved is read: byte order mark, CRLF, semicolons, columns in another order', async () => {
    const decision = decisionOf('Größe GmbH', { note: 'one; two', service: null })
    const cells = {
      verdict: 'Accepted',
      note: '"one; two"',
      lookup: decision.lookup.toUpperCase(),
      name: decision.name,
      location: decision.location,
      entity_id: decision.entityId,
      entity_name: decision.entityName,
      decided_by: decision.decidedBy,
      decided_at: '2026-11-20T10:30:00+01:00',
      service: '',
    }
    const lines = [Object.keys(cells).join(';'), Object.values(cells).join(';'), ';;;;;;;;;']
    writeFileSync(path, `\ufeff${lines.join('\r\n')}\r\n`)
    expect(await read()).toEqual([decision])
    writeFileSync(path, Buffer.from(`\ufeffsep=;\r\n${lines.join('\r\n')}\r\n`, 'utf16le'))
    expect(await read()).toEqual([decision])
  })

  test('in an encoding of before UTF-8 is read as what its names say, and that is told', async () => {
    const decisions = [
      'Müller & Söhne GmbH',
      'Grüße aus Österreich AG',
      'Bäckerei Schröder KG',
      'Käsehändler Jäger OHG',
    ]
      .flatMap((name) => [name, `${name} Süd`, `${name} München`, `${name} Köln`, `${name} Düsseldorf`])
      .map((name) => decisionOf(name))
    writeFileSync(path, Buffer.from(decisionsHeader + decisions.map(formatDecisionLine).join(''), 'latin1'))
    const file = await readDecisionsFile(path)
    expect(file?.decisions.map(({ name }) => name)).toEqual(decisions.map(({ name }) => name))
    expect(file?.notices).toEqual([expect.stringMatching(/not UTF-8, read as windows-1252/)])
  })

  test('has cells left out where a spreadsheet found them empty', async () => {
    const line = formatDecisionLine(decisionOf('Acme', { service: null })).replace(/,,\n$/, '\n')
    writeFileSync(path, decisionsHeader + line)
    expect(await read()).toEqual([decisionOf('Acme', { service: null })])
  })

  test('of 100,000 lines is read whole', async () => {
    const decisions = Array.from({ length: 100_000 }, (_, index) => decisionOf(`Company ${index}`))
    write(...decisions)
    expect(await read()).toEqual(decisions)
  })
})

const good = () => formatDecisionLine(decisionOf('Acme'))
const changed = (column: string, value: string) => {
  const names = decisionsHeader.trim().split(',')
  const cells = formatDecisionLine(decisionOf('Acme', { location: null }))
    .trimEnd()
    .split(',')
  return `${cells.map((cell, at) => (names[at] === column ? value : cell)).join(',')}\n`
}

describe('a line that is wrong is named', () => {
  test.each([
    [
      'an unknown column',
      () => `${decisionsHeader.trimEnd()},colour\n${good().trimEnd()},red\n`,
      /line 1: it has an unknown column colour/,
    ],
    [
      'a column without a name',
      () => `${decisionsHeader.trimEnd()},\n${good().trimEnd()},\n`,
      /line 1: a column has no name/,
    ],
    ['a missing column', () => decisionsHeader.replace(',note', ''), /line 1: it has no column note/],
    [
      'a column that stands twice',
      () => `${decisionsHeader.trimEnd()},note\n`,
      /line 1: it has a column twice/,
    ],
    [
      'a hash that is none',
      () => decisionsHeader + good() + changed('lookup', '1.23E+31'),
      /line 3: its lookup is not 32 hexadecimal digits/,
    ],
    ['no hash', () => decisionsHeader + changed('lookup', ''), /line 2: its lookup/],
    [
      'a verdict that is none',
      () => decisionsHeader + changed('verdict', 'maybe'),
      /line 2: its verdict is neither accepted nor none/,
    ],
    [
      'an id that is none',
      () => decisionsHeader + changed('entity_id', 'le_123'),
      /line 2: its entity_id is not the id of a company/,
    ],
    ['accepted without an id', () => decisionsHeader + changed('entity_id', ''), /line 2: its entity_id/],
    [
      'none with an id',
      () => decisionsHeader + changed('verdict', 'none'),
      /line 2: its verdict is "none", but it has an entity_id/,
    ],
    [
      'a time that is none',
      () => decisionsHeader + changed('decided_at', '20.11.26 09:30'),
      /line 2: its decided_at is not a time/,
    ],
    [
      'nobody who decided',
      () => decisionsHeader + changed('decided_by', ' '),
      /line 2: its decided_by is empty/,
    ],
    [
      'a service that is none',
      () => decisionsHeader + changed('service', 'http://user:pw@example.com'),
      /line 2: its service is neither/,
    ],
    [
      'too many cells',
      () => `${decisionsHeader}${good().trimEnd()},more\n`,
      /line 2: it has \d+ cells where the header has 10/,
    ],
    [
      'a line that ends in the middle',
      () => decisionsHeader + good() + good().slice(0, 90),
      /line 3: .*and the file ends there/,
    ],
    [
      'a quote that is never closed',
      () => `${decisionsHeader}"${changed('note', '')}${changed('note', '')}`,
      /line 2: a quote in it is never closed/,
    ],
    [
      'a quoted line feed above it',
      () =>
        decisionsHeader + formatDecisionLine(decisionOf('B', { note: 'a\nb\nc' })) + changed('verdict', 'x'),
      /line 5: its verdict/,
    ],
    [
      'a conflict left by git, in its lines',
      () => `${decisionsHeader}<<<<<<< HEAD\n${good()}=======\n${good()}>>>>>>> theirs\n`,
      /line 2: it contains a git merge conflict/,
    ],
    [
      'a conflict left by git, above its header',
      () => `<<<<<<< HEAD\n${decisionsHeader}${good()}`,
      /line 1: it contains a git merge conflict/,
    ],
    [
      'the end of a conflict',
      () => `${decisionsHeader}${good()}>>>>>>> 1234abc (their work, all of it)\n`,
      /line 3: it contains a git merge conflict/,
    ],
    ['an empty file', () => '', /it is empty/],
    ['a file of blank lines', () => '\n\n', /it has no header/],
    ['a file of something else', () => 'just some text\n', /line 1: it has an unknown column just some text/],
    ['an Excel file', () => 'PK\x03\x04 and so on', /it is a spreadsheet/],
    ['NULs in it', () => `${decisionsHeader}a\0b`, /NUL/],
  ])('%s', async (_, text, message) => {
    writeFileSync(path, text())
    await expect(read()).rejects.toEqual(refused('DECISIONS_INVALID', message))
  })

  test('what it says of a service is not repeated: a key may stand in it', async () => {
    writeFileSync(path, decisionsHeader + changed('service', 'https://key-123@example.com'))
    await expect(read()).rejects.toEqual(
      expect.objectContaining({ message: expect.not.stringContaining('key-123') }),
    )
  })

  test('two verdicts for one lookup are named both', async () => {
    write(
      decisionOf('Acme', { entityId: 'siq_1' }),
      decisionOf('Beta'),
      decisionOf('Acme', { entityId: 'siq_2', decidedBy: 'Bob' }),
    )
    await expect(read()).rejects.toEqual(
      refused(
        'DECISIONS_CONFLICT',
        /\(Acme\).*line 2 says siq_1 \(Ada Lovelace\), line 4 says siq_2 \(Bob\)/,
      ),
    )
  })

  test.each([
    ['of whichever service and of one', null, 'embedded', true],
    ['of two services', 'https://a.example.com', 'https://b.example.com', false],
    ['of one, its URL written otherwise', 'https://a.example.com', 'https://A.example.com/', true],
  ])('two verdicts for one lookup, %s', async (_, one, other, isConflict) => {
    write(
      decisionOf('Acme', { entityId: 'siq_1', service: one }),
      decisionOf('Acme', { verdict: 'none', entityId: null, service: other }),
    )
    const reading = read()
    if (isConflict)
      await expect(reading).rejects.toEqual(refused('DECISIONS_CONFLICT', /line 2 .*line 3 says none/))
    else expect(await reading).toHaveLength(2)
  })

  test('a folder in its place is no file', async () => {
    await expect(readDecisionsFile(folder)).rejects.toEqual(refused('DECISIONS_INVALID', /not a file/))
  })

  test('half a line that a killed process was writing is none, and known from what it was writing', async () => {
    const [kept, torn] = [decisionOf('Acme'), decisionOf('Bütä', { note: 'a\nnote' })]
    const line = Buffer.from(formatDecisionLine(torn))
    for (let bytes = 1; bytes < line.length; bytes++) {
      write(kept)
      appendFileSync(path, line.subarray(0, bytes))
      expect(await read([decisionOf('Another'), torn])).toEqual([kept])
    }
    write(kept)
    appendFileSync(path, line.subarray(0, 90))
    await expect(read([decisionOf('Another')])).rejects.toEqual(refused('DECISIONS_INVALID', /line 3/))
  })

  test('a file that is written while it is read is read again, until it stands still', async () => {
    write(decisionOf('Acme'))
    let count = 1
    const writer = setInterval(() => {
      appendFileSync(path, formatDecisionLine(decisionOf(`Company ${count++}`)))
      if (count > 20) clearInterval(writer)
    }, 1)
    while (count <= 20) {
      expect((await read())?.length).toBeGreaterThan(0)
      await setTimeout(1)
    }
    expect(await read()).toHaveLength(21)
  })
})

describe('changing a decisions file', () => {
  const none = new Set<Decision>()

  test('makes it, appends to it, and takes out of it what is dropped', async () => {
    const [acme, beta, gamma] = [decisionOf('Acme'), decisionOf('Beta'), decisionOf('Gamma')]
    let file = changeDecisionsFile(path, null, { add: [acme], drop: none })
    const { ino } = statSync(path)
    file = changeDecisionsFile(path, file, { add: [beta, gamma], drop: none })
    expect(statSync(path).ino).toBe(ino)
    expect(await read()).toEqual([acme, beta, gamma])
    file = changeDecisionsFile(path, file, { add: [], drop: new Set([file!.decisions[1]!]) })
    expect(await read()).toEqual([acme, gamma])
    expect(file?.decisions).toEqual([acme, gamma])
    expect(readdirSync(folder)).toEqual(['enrich.decisions.csv'])
  })

  test('brings one that a spreadsheet saved to its own form, decisions of other services too', async () => {
    const other = decisionOf('Other', { service: 'embedded' })
    writeFileSync(path, `\ufeff${(decisionsHeader + formatDecisionLine(other)).replaceAll('\n', '\r\n')}`)
    chmodSync(path, 0o640)
    const file = await readDecisionsFile(path)
    changeDecisionsFile(path, file, { add: [decisionOf('Acme')], drop: none })
    expect(readFileSync(path, 'utf8')).toBe(decisionsHeader + formatDecisionLine(other) + good())
    expect(statSync(path).mode & 0o777).toBe(0o640)
  })

  test('leaves one alone that was saved in the meantime', async () => {
    write(decisionOf('Acme'))
    const file = await readDecisionsFile(path)
    const saved = decisionsHeader + formatDecisionLine(decisionOf('Saved by an editor'))
    writeFileSync(path, saved)
    expect(changeDecisionsFile(path, file, { add: [decisionOf('Beta')], drop: none })).toBeNull()
    expect(readFileSync(path, 'utf8')).toBe(saved)
    expect(changeDecisionsFile(path, null, { add: [decisionOf('Beta')], drop: none })).toBeNull()
  })

  test('goes through a link to the file that it leads to', async () => {
    const target = join(folder, 'team', 'decisions.csv')
    symlinkSync(target, path)
    changeDecisionsFile(path, null, { add: [decisionOf('Acme')], drop: none })
    const file = await readDecisionsFile(path)
    changeDecisionsFile(path, file, { add: [], drop: new Set(file?.decisions) })
    expect(readFileSync(target, 'utf8')).toBe(decisionsHeader)
    expect(existsSync(path)).toBe(true)
  })

  test.skipIf(process.getuid?.() === 0)('that cannot be written is a named error', () => {
    chmodSync(folder, 0o500)
    expect(() => changeDecisionsFile(path, null, { add: [decisionOf('Acme')], drop: none })).toThrow(
      refused('DECISIONS_UNWRITABLE', /cannot be written/),
    )
  })

  test('in a folder that cannot be made is a named error', async () => {
    writeFileSync(path, '')
    const below = join(path, 'decisions.csv')
    await expect(withDecisionsLock(below, () => Promise.resolve())).rejects.toEqual(
      refused('DECISIONS_UNWRITABLE', /cannot be written/),
    )
  })

  test('is done by one at a time, and no lock stays behind', async () => {
    let inside = 0
    let most = 0
    await Promise.all(
      Array.from({ length: 10 }, () =>
        withDecisionsLock(path, async () => {
          most = Math.max(most, ++inside)
          await setTimeout(2)
          inside--
        }),
      ),
    )
    expect(most).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })
})

test('lookups of the tests are hashes', () => {
  expect(lookupOf('Acme')).toMatch(/^[0-9a-f]{32}$/)
})
