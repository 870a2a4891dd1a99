// `npm run test:home-assistant`: Home Assistant's integration as it is delivered, in the oldest Home Assistant that is promised, against real
// gateways. What it needs is fetched into a folder that git ignores; what cannot be had here is said, and is no failure.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GATEWAY_FLAGS } from '../../scripts/gateway-flags.mjs'
import { hereOnly, NotHere, type Programs, programsIn } from './python.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, '.generated/home-assistant')
const BUILT = join(FOLDER, 'built')

/** The test plug-in is made for one release, and does not load with 2026.11.0. */
const PLUG_IN = 'pytest-homeassistant-custom-component==0.13.375'
/** Home Assistant comes first: it puts a library of its own in the place of another, before anybody has that one. */
const PYTEST = 'import sys, homeassistant, pytest; sys.exit(pytest.main(sys.argv[1:]))'
const CHECKS = ['mypy==2.4.1']
const RELEASES = [{ version: '2026.10.4' }] as const

/** @param chosen versions; all where none is named. What follows `--` is pytest's. */
function main(given: readonly string[]): number {
  const chosen = RELEASES.filter(
    ({ version }) => !given.some((each) => /^\d{4}\./.test(each)) || given.includes(version),
  )
  if (chosen.length === 0) {
    console.error(`No release of that name is tried; there is ${RELEASES.map(({ version }) => version).join(', ')}.`)
    return 2
  }
  const forPytest = given.filter((each) => !/^\d{4}\./.test(each))
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-home-assistant.ts')], { stdio: 'ignore' })
  let failed = 0
  for (const { version } of chosen) {
    try {
      const python = environmentOf(version, programsIn(FOLDER))
      const isGood = typesHold(python) && testsPass(python, version, forPytest)
      console.log(`${isGood ? 'passed' : 'FAILED'} Home Assistant ${version}`)
      if (!isGood) failed = 1
    } catch (error) {
      if (!(error instanceof NotHere)) throw error
      console.log(`absent Home Assistant ${version}: not tried, because ${error.message}`)
    }
  }
  return failed
}

/** The Python of an environment with that release; made once for what is asked of it. */
function environmentOf(version: string, { uv, python }: Programs): string {
  const folder = join(FOLDER, version)
  const made = join(folder, 'made-of.txt')
  const wanted = [PLUG_IN, ...CHECKS, python].join('\n')
  const own = join(folder, 'bin/python')
  if (existsSync(made) && readFileSync(made, 'utf8') === wanted) return own
  console.log(`Fetching Home Assistant ${version} (once, about 700 MB) …`)
  hereOnly(uv, ['venv', '--quiet', '--clear', '--python', python, folder])
  const override = join(FOLDER, `override-${version}.txt`)
  writeFileSync(override, `homeassistant==${version}\n`)
  hereOnly(uv, ['pip', 'install', '--quiet', '--python', own, '--override', override, PLUG_IN, ...CHECKS])
  writeFileSync(made, wanted)
  return own
}

const typesHold = (python: string): boolean => ran(python, ['-m', 'mypy'])

function testsPass(python: string, version: string, args: readonly string[]): boolean {
  const figures = join(BUILT, 'figures.txt')
  rmSync(figures, { force: true })
  const coverage = args.length === 0 ? ['--cov', '--cov-report=term-missing:skip-covered'] : []
  const options = ['--quiet', '--no-header', '--tb=short', '--show-capture=no', ...coverage, ...args]
  const isGood = ran(python, ['-c', PYTEST, ...options])
  if (existsSync(figures)) console.log(readFileSync(figures, 'utf8').trimEnd().replace(/^/gm, `${version}: `))
  return isGood
}

function ran(program: string, args: readonly string[]): boolean {
  const env = {
    ...process.env,
    HM_NODE: process.execPath,
    HM_GATEWAY_FLAGS: GATEWAY_FLAGS.join(' '),
    PYTHONPATH: join(ROOT, 'clients/python/tests'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  return spawnSync(program, args, { cwd: BUILT, env, stdio: 'inherit' }).status === 0
}

process.exitCode = main(process.argv.slice(2))
