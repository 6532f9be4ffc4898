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
import { getErrorText, UserError } from '../../core/errors.js'
import { publishFile, buildTemporaryPath } from '../../platform/files.js'
import { assertRegular, resolveTarget } from '../output/output-path.js'
import type { RunEnd } from '../figures/notify-message.js'
import { earlierNames, formatMetrics, type EarlierEnds } from './run-metrics.js'

/** The collector runs as another user. */
const readableMode = 0o644
const knownBytesMax = 1024 * 1024

/**
 * Throws USAGE_INVALID for standard output, and OUTPUT_UNWRITABLE if the path holds anything but a metrics file.
 * Rejected runs write metrics, too, and must not overwrite an input or a checkpoint named by mistake.
 */
export function assertMetricsReplaceable(path: string): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--metrics-file cannot write to standard output', {
      hint: 'name a file; its name ends in .prom',
    })
  }
  const target = resolveTarget(path)
  assertRegular(target)
  if (!existsSync(target) || statSync(target).size === 0 || readStart(target) === ownStart) return
  throw new UserError('OUTPUT_UNWRITABLE', `${path} is not a metrics file of a run`, {
    hint: 'for --metrics-file, name a new file or one that a run wrote',
  })
}

/** Start of every metrics file. */
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
 * Writes the metrics of a run that ended, as a whole or not at all. Returns `null`, or a sentence with the reason for a
 * failure. Never throws: the run does not depend on it.
 */
export async function writeMetricsFile(path: string, end: RunEnd): Promise<string | null> {
  const target = resolveTarget(path)
  const temporary = buildTemporaryPath(target)
  try {
    assertMetricsReplaceable(path)
    // Loaded only if needed: it takes a tenth of a command's start-up time.
    const text = await formatMetrics(end, readEarlierEnds(target, end.series))
    const descriptor = openSync(temporary, 'wx', readableMode)
    try {
      writeFileSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
    // Independent of the umask.
    chmodSync(temporary, readableMode)
    publishFile(temporary, target)
    return null
  } catch (error) {
    rmSync(temporary, { force: true })
    return `The metrics file ${path} was not written: ${getErrorText(error)}. The result of the run is not affected.`
  }
}

/** Reads the timestamps of earlier runs from the file. */
function readEarlierEnds(path: string, series: string): EarlierEnds {
  const text = readKnown(path)
  const readSeconds = (name: string): number | null => {
    const line = text.find((one) => one.startsWith(`${name}{series="${escapeLabel(series)}"} `))
    const value = Number(line?.slice(line.lastIndexOf(' ') + 1))
    return line === undefined || !Number.isFinite(value) ? null : value
  }
  return {
    successSeconds: readSeconds(earlierNames.success),
    outputSeconds: readSeconds(earlierNames.output),
  }
}

/** Escapes a label's value for the text format. */
const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

function readKnown(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  return text.length > knownBytesMax ? [] : text.split('\n')
}
