import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { errorText, UserError } from '../../core/errors.js'
import { publishFile, temporaryPath } from '../../platform/files.js'
import { assertRegular, targetOf } from '../output/output-path.js'
import type { RunEnd } from '../figures/notify-message.js'
import { earlierNames, type EarlierEnds } from './earlier-ends.js'

/** What collects it is another user. */
const readableMode = 0o644
const knownBytesMax = 1024 * 1024

/**
 * Throws USAGE_INVALID for standard output, and OUTPUT_UNWRITABLE where something else stands than a file of such figures: a run that was refused writes them
 * too, and what it was refused for may be that the path is an input's, or a checkpoint's.
 */
export function assertMetricsReplaceable(path: string): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--metrics-file writes a file, and not to standard output', {
      hint: 'name a file; its name ends in .prom',
    })
  }
  const target = targetOf(path)
  assertRegular(target)
  if (!existsSync(target) || statSync(target).size === 0 || readStart(target) === ownStart) return
  throw new UserError('OUTPUT_UNWRITABLE', `${path} holds something else than the figures of a run`, {
    hint: 'name a file that is not there yet for --metrics-file, or one that a run wrote',
  })
}

/** What each of them begins with. */
const ownStart = '# HELP enrich_run_'

function readStart(path: string): string {
  const bytes = Buffer.alloc(ownStart.length)
  const descriptor = openSync(path, 'r')
  try {
    return bytes.toString('latin1', 0, readSync(descriptor, bytes))
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Writes the figures of a run that ended, whole or not at all. Null: they are there; otherwise why not, in a sentence.
 * Never throws: nothing of the run depends on them.
 */
export async function writeMetricsFile(path: string, end: RunEnd): Promise<string | null> {
  const target = targetOf(path)
  const temporary = temporaryPath(target)
  try {
    assertMetricsReplaceable(path)
    // Loaded by those alone who want figures: it is a tenth of what a command takes to start.
    const { metricsText } = await import('./run-metrics.js')
    const text = await metricsText(end, earlierEnds(target, end.series))
    const descriptor = openSync(temporary, 'wx', readableMode)
    try {
      writeFileSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
    // Whatever the umask of this user says.
    chmodSync(temporary, readableMode)
    publishFile(temporary, target)
    return null
  } catch (error) {
    rmSync(temporary, { force: true })
    return `The metrics file ${path} was not written: ${errorText(error)}. The run is not changed by that.`
  }
}

/** What the file says of the runs before: the last success is known, however many failed since. */
function earlierEnds(path: string, series: string): EarlierEnds {
  const text = readKnown(path)
  const secondsOf = (name: string): number | null => {
    const line = text.find((one) => one.startsWith(`${name}{series="${escaped(series)}"} `))
    const value = Number(line?.slice(line.lastIndexOf(' ') + 1))
    return line === undefined || !Number.isFinite(value) ? null : value
  }
  return { successSeconds: secondsOf(earlierNames.success), outputSeconds: secondsOf(earlierNames.output) }
}

/** As the text format spells a label's value. */
const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

function readKnown(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  return text.length > knownBytesMax ? [] : text.split('\n')
}
