import { expect, it } from 'vitest'
import { createPlace } from '../support/cli.js'
import { Dice } from './dice.js'
import { expectedChanges, RowList } from './list-of-rows.js'
import { runNight, touchOutputs, writeList } from './nights.js'
import { Register } from './register.js'

const nightCount = 4
const seeds = (process.env['REHEARSAL_SEEDS'] ?? '1').split(',').map(Number)
const map =
  'id=id,name=name,former_names=former,street_address=street,city=city,status=status,parent_id=parent,duns=duns'

/** Four nights over a register of the user's own, which is loaded anew each night. */
async function rehearse(seed: number): Promise<void> {
  const dice = new Dice(seed)
  const isKeyed = seed % 2 === 0
  const place = createPlace()
  const register = new Register(40)
  const list = new RowList(dice.some(register.firms, 30))
  const load = async (night: number) => {
    place.write('register.csv', register.csv())
    const day = `2026-01-${String(night + 1).padStart(2, '0')}`
    const { code, stderr } = await place.run(
      ['registry', 'import', 'csv', 'register.csv', '--id-type', 'registration_id', '--map', map].concat([
        '--country',
        'GB',
        '--jurisdiction',
        'gb',
        '--source',
        'register',
        '--date',
        day,
      ]),
    )
    expect([code, stderr]).toEqual([0, expect.any(String)])
  }
  for (let night = 0; night < nightCount; night++) {
    const before = list.rows
    const isQuiet = night === 0 || dice.fraction() < 0.1
    const firmChanges = isQuiet ? [] : register.edit(dice)
    if (!isQuiet) list.edit(dice, register.firms)
    await load(night)
    writeList(place, list.rows, (firm) => register.asked(firm))
    const args = isKeyed ? ['--row-key', 'key'] : []
    const told = await runNight({ place, args, dice, diesAnywhere: true })
    const expected = night === 0 ? [] : expectedChanges(before, list.rows, firmChanges, isKeyed)
    expect([`seed ${seed}, night ${night}`, ...told]).toEqual([`seed ${seed}, night ${night}`, ...expected])
    touchOutputs(place, dice)
  }
}

it.each(seeds)('Over four nights, each change of a register is reported once; seed %s', rehearse, 300_000)
