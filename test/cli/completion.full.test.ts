import { execFileSync, spawn } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'
import { hasProgram } from '../support/skipped.js'

const fish = 'fish'
/** Of util-linux: runs a command on a pseudo-terminal of its own. */
const ptyMaker = 'script'

async function scriptFor(place: CliPlace, shell: string): Promise<string> {
  const { code, stdout } = await place.run(['completion', shell])
  expect(code).toBe(0)
  return place.write(`completion.${shell}`, stdout)
}

/** What bash offers for a line whose last word is completed. */
function bashOffers(place: CliPlace, script: string, words: readonly string[]): string[] {
  const line = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _enrich; printf '%s\\n' "\${COMPREPLY[@]}"`
  const printed = execFileSync('bash', ['--norc', '-c', line, script, ...words], {
    cwd: place.folder,
    encoding: 'utf8',
  })
  return printed.split('\n').filter((word) => word !== '')
}

function fishOffers(place: CliPlace, script: string, line: string): string[] {
  const printed = execFileSync(fish, ['--no-config', '-c', `source ${script}; complete -C '${line}'`], {
    cwd: place.folder,
    encoding: 'utf8',
    env: { ...process.env, HOME: place.folder },
  })
  return printed.split('\n').flatMap((offer) => (offer === '' ? [] : [offer.split('\t')[0] ?? '']))
}

describe('completions for bash', () => {
  test('commands, their subcommands, flags of the command typed, and values that are known', async () => {
    const place = createPlace()
    const script = await scriptFor(place, 'bash')
    const offers = (...words: string[]) => bashOffers(place, script, ['enrich', ...words])
    expect(offers('regi')).toEqual(['registry'])
    expect(offers('registry', 'imp')).toEqual(['import'])
    expect(offers('plan', '--max-l')).toEqual(['--max-lookups'])
    expect(offers('--max-l')).toEqual(['--max-lookups'])
    expect(offers('status', '--max-l')).toEqual([])
    expect(offers('companies.csv', '--format', 'par')).toEqual(['parquet'])
  })

  test('a file is offered where no command was typed, also one whose name has a space', async () => {
    const place = createPlace()
    const script = await scriptFor(place, 'bash')
    place.write('complete list.csv', 'name\n')
    expect(bashOffers(place, script, ['enrich', 'comple']).sort()).toEqual([
      'complete list.csv',
      'completion',
      'completion.bash',
    ])
  })

  test('behind a flag with a path nothing but files is offered: bash does that where the script offers nothing', async () => {
    const place = createPlace()
    const script = await scriptFor(place, 'bash')
    expect(bashOffers(place, script, ['enrich', 'run', '--checkpoint', ''])).toEqual([])
  })
})

test.skipIf(!hasProgram(fish))(
  'completions for fish: commands, subcommands, flags, values and files',
  async () => {
    const place = createPlace()
    const script = await scriptFor(place, 'fish')
    place.write('companies.csv', 'name\n')
    expect(fishOffers(place, script, 'enrich regi')).toEqual(['registry'])
    expect(fishOffers(place, script, 'enrich registry imp')).toEqual(['import'])
    expect(fishOffers(place, script, 'enrich plan --max-l')).toEqual(['--max-lookups'])
    expect(fishOffers(place, script, 'enrich companies.csv --format par')).toEqual(['parquet'])
    expect(fishOffers(place, script, 'enrich plan compa')).toEqual(['companies.csv'])
  },
)

test.skipIf(!hasProgram('zsh'))(
  'completions for zsh: typed with the tabulator key in a shell on a terminal',
  async () => {
    const place = createPlace()
    const script = await scriptFor(place, 'zsh')
    place.write('companies.csv', 'name\n')
    const zsh = startZsh(place)
    zsh.types(
      `autoload -Uz compinit && compinit -u -d ${place.path('dump')} && source ${script}; echo r''eady\n`,
    )
    await zsh.sees(/ready/)
    zsh.types('enrich registry imp\t')
    await zsh.sees(/registry import/)
    zsh.types('\x15enrich plan --max-loo\t')
    await zsh.sees(/plan --max-lookups/)
    zsh.types('\x15enrich compan\t')
    await zsh.sees(/enrich companies\.csv/)
  },
)

function startZsh(place: CliPlace) {
  const child = spawn(ptyMaker, ['-qfec', 'stty cols 120 rows 24; exec zsh -f -i', '/dev/null'], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'], TERM: 'dumb', HOME: place.folder, PS1: '> ' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let seen = ''
  let look = (): void => undefined
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString('utf8')
    look()
  })
  return {
    types: (keys: string) => child.stdin.write(keys),
    sees: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new Error(`${String(pattern)} never came:\n${seen}`))
        }, 20_000)
        look = () => {
          // What is typed is echoed in pieces, with what moves the cursor between them.
          // oxlint-disable-next-line no-control-regex -- that is what terminals are sent
          if (!pattern.test(seen.replace(/\x1b\[[0-9;?]*[A-Za-z]|[\x07\x08\r]/g, ''))) return
          clearTimeout(timer)
          resolve()
        }
        look()
      }),
  }
}

test('a shell that is not known is refused with those that are', async () => {
  const { code, stderr } = await createPlace().run(['completion', 'tcsh'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/bash, zsh, fish/)
})
