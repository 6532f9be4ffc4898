import { describe, expect, test } from 'vitest'
import { formatRecordedCommand } from '../../src/cli/terminal/command-io.js'

const recorded = (...argv: string[]) => formatRecordedCommand({ program: 'enrich', argv })

describe('the command that is kept', () => {
  test('is as it was typed', () => {
    expect(recorded('my list.csv', '-o', 'out.csv', '--max-lookups', '10')).toBe(
      "enrich 'my list.csv' -o out.csv --max-lookups 10",
    )
  })

  test.each([
    [['--webhook-url', 'https://hooks.example/s3cret'], '--webhook-url …'],
    [['--webhook-url=https://hooks.example/s3cret'], '--webhook-url=…'],
    [['--notify', 'https://hooks.example/services/s3cret'], '--notify …'],
    [['--notify=s3cret'], '--notify=…'],
    [['--base-url', 'https://s3cret:s3cret@api.example/v3?key=s3cret'], '--base-url https://…@api.example/…'],
    [['--base-url=https://api.example?key=s3cret'], '--base-url=https://api.example/…'],
    [['--base-url', 'https://api.example'], '--base-url https://api.example'],
  ])('holds no secret: %j', (argv, shown) => {
    expect(recorded(...argv)).toBe(`enrich ${shown}`)
    expect(recorded(...argv)).not.toContain('s3cret')
  })
})
