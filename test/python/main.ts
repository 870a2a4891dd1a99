// `npm run test:python`: the Python client, clients/python, held to its format, its types and its tests, which start
// gateways of their own. What it needs is fetched into a folder that git ignores; where there is no Python or no registry
// that is said, and is no failure. What follows the command goes to pytest.

import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GATEWAY_FLAGS } from '../../scripts/gateway-flags.mjs'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { run } from '../generators/run.ts'
import { NotHere } from '#support/project/not-here.ts'
import { fetchPackages } from './packages.ts'

const CLIENT = join(PROJECT_ROOT, 'clients/python')
const FOLDER = join(PROJECT_ROOT, '.generated/client-python')
const VENV = join(FOLDER, 'venv')
/** What the environment was made of, so that another list makes another one. */
const STAMP = join(VENV, 'made-of')

/** The oldest first: what works with it works with newer ones. */
const PYTHONS = ['python3.11', 'python3.12', 'python3.13', 'python3.14', 'python3']
const USABLE = 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'

/** A Python that is new enough and can make environments. @throws NotHere */
async function python(): Promise<string> {
  for (const each of PYTHONS) {
    const isUsable = await promisify(execFile)(each, ['-c', USABLE]).then(
      () => true,
      () => false,
    )
    if (isUsable) return each
  }
  throw new NotHere('there is no Python from 3.11 on with venv here; in Debian it is the package python3-venv')
}

/** @throws NotHere where there is no Python, or no registry. */
async function setUp(): Promise<void> {
  const program = await python()
  const requirements = join(CLIENT, 'requirements.txt')
  const version = await run(CLIENT, program, ['--version'])
  const madeOf = createHash('sha256')
    .update(`${version}${readFileSync(requirements, 'utf8')}`)
    .digest('hex')
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === madeOf) return
  console.log(`Fetching what the tests need, for ${version.trim()} …`)
  rmSync(VENV, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  await run(FOLDER, program, ['-m', 'venv', VENV])
  await fetchPackages(FOLDER, join(VENV, 'bin/pip'), requirements)
  writeFileSync(STAMP, madeOf)
}

/** Runs one of the checks, which says itself what is wrong. */
async function passes(temporary: string, [name = '', ...args]: readonly string[]): Promise<boolean> {
  const env = {
    ...process.env,
    TMPDIR: temporary,
    COVERAGE_FILE: join(temporary, 'coverage'),
    HM_NODE: process.execPath,
    HM_GATEWAY_FLAGS: GATEWAY_FLAGS.join(' '),
  }
  const child = spawn(join(VENV, 'bin', name), args, { cwd: CLIENT, env, stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as readonly unknown[]
  if (code !== 0) console.log(`FAILED ${name} ${args.join(' ')}`)
  return code === 0
}

async function main(args: readonly string[]): Promise<number> {
  try {
    await setUp()
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    console.log(`The Python client is not tried, because ${error.message}.`)
    return 0
  }
  const temporary = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hm-python-'))
  const cache = ['--cache-dir', join(FOLDER, 'cache')]
  const whole = args.length === 0 ? ['--cov', '--cov-report=term'] : []
  const checks = [
    ['ruff', 'format', '--check', ...cache],
    ['ruff', 'check', ...cache],
    ['mypy', ...cache],
    ['pytest', '--quiet', '-p', 'no:cacheprovider', ...whole, ...args],
  ]
  try {
    let failed = 0
    for (const check of checks) failed += (await passes(temporary, check)) ? 0 : 1
    return failed === 0 ? 0 : 1
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

process.exitCode = await main(process.argv.slice(2))
