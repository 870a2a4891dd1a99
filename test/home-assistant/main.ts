// `npm run test:home-assistant`: Home Assistant's integration as it is delivered, held to its format, its types and its
// tests in the oldest Home Assistant that is promised, and run in that and in the newest as people run it, against real
// gateways. Packages go into an ignored folder. A missing prerequisite is reported and is no failure.
// Further arguments go to pytest.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckProgram, passed } from './checks.ts'
import { environmentOf, NEWEST, OLDEST } from './environments.ts'
import { MissingPrerequisite } from '#support/project/missing-prerequisite.ts'
import { inNetwork } from './network.ts'
import { type Programs, programsIn } from './python.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, '.generated/home-assistant')
const BUILT = join(FOLDER, 'built')
/** Home Assistant comes first: it puts a library of its own in the place of another, before anybody has that one. */
const PYTEST = 'import sys, homeassistant, pytest; sys.exit(pytest.main(sys.argv[1:]))'
const OPTIONS = ['--quiet', '--no-header', '--tb=short', '--show-capture=no']
const REAL = ['tests/test_real_process.py', 'tests/test_real_changes.py']

async function main(args: readonly string[]): Promise<number> {
  // Whatever is missing, what people install can be made.
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-home-assistant.ts')], { stdio: 'ignore' })
  const releases = environments()
  const oldest = releases.get(OLDEST.version)
  if (oldest === undefined) return 0
  const pytest = (...given: string[]): readonly string[] => [oldest, '-c', PYTEST, ...OPTIONS, ...given]
  const network = inNetwork()
  if (network === null)
    console.log('absent Discovery: not tried, because this machine allows no network of one’s own with multicast')
  const named = JSON.stringify(Object.fromEntries(releases))
  const coverage = ['--cov', '--cov-report=term-missing:skip-covered', ...REAL.map((file) => `--ignore=${file}`)]
  // The checks of a lane run in order, the lanes in parallel: as many as test machines have cores.
  const whole: readonly (readonly CheckProgram[])[] = [
    [{ name: 'tests', run: pytest(...coverage) }],
    [
      { name: 'format', run: [oldest, '-m', 'ruff', 'format', '--check', '--no-cache'] },
      { name: 'rules', run: [oldest, '-m', 'ruff', 'check', '--no-cache'] },
      { name: 'types', run: [oldest, '-m', 'mypy'] },
      {
        name: `Home Assistant ${[...releases.keys()].join(' and ')} as a process`,
        run: [...(network ?? []), ...pytest(...REAL)],
        env: { HM_HOME_ASSISTANTS: named, HM_HOME_NETWORK: network === null ? '' : 'on' },
      },
    ],
  ]
  const some = [[{ name: 'tests', run: pytest(...args), env: { HM_HOME_ASSISTANTS: named } }]]
  const figures = join(BUILT, 'figures.txt')
  rmSync(figures, { force: true })
  const isGood = await passed(args.length === 0 ? whole : some, BUILT)
  if (existsSync(figures)) console.log(readFileSync(figures, 'utf8').trimEnd())
  return isGood ? 0 : 1
}

/** The Python of each release that can be had here; of the others it is said why not. */
function environments(): Map<string, string> {
  const made = new Map<string, string>()
  let programs: Programs | null = null
  for (const release of [OLDEST, NEWEST])
    try {
      programs ??= programsIn(FOLDER)
      made.set(release.version, environmentOf(release, FOLDER, programs))
    } catch (error) {
      if (!(error instanceof MissingPrerequisite)) throw error
      console.log(`absent Home Assistant ${release.version}: not tried, because ${error.message}`)
    }
  return made
}

process.exitCode = await main(process.argv.slice(2))
