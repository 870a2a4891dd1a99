// `npm run test:python`: the Python client, python/client, held to its format, its types and its tests, which start
// gateways of their own. Packages go into an ignored folder. A missing Python or registry is reported and is no
// failure. Further arguments go to pytest.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GATEWAY_FLAGS } from '../../scripts/gateway-flags.mjs'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { MissingPrerequisite } from '#support/project/missing-prerequisite.ts'
import { pythonEnvironment } from './environment.ts'

const CLIENT = join(PROJECT_ROOT, 'python/client')
const FOLDER = join(PROJECT_ROOT, '.generated/client-python')
/** Runs one check, which prints its own errors. */
async function passes(venv: string, temporary: string, [name = '', ...args]: readonly string[]): Promise<boolean> {
  const env = {
    ...process.env,
    TMPDIR: temporary,
    COVERAGE_FILE: join(temporary, 'coverage'),
    HM_NODE: process.execPath,
    HM_GATEWAY_FLAGS: GATEWAY_FLAGS.join(' '),
  }
  const child = spawn(join(venv, 'bin', name), args, { cwd: CLIENT, env, stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as readonly unknown[]
  if (code !== 0) console.log(`FAILED ${name} ${args.join(' ')}`)
  return code === 0
}

async function main(args: readonly string[]): Promise<number> {
  let venv: string
  try {
    venv = await pythonEnvironment('client-python', join(CLIENT, 'requirements.txt'))
  } catch (error) {
    if (!(error instanceof MissingPrerequisite)) throw error
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
    for (const check of checks) failed += (await passes(venv, temporary, check)) ? 0 : 1
    return failed === 0 ? 0 : 1
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

process.exitCode = await main(process.argv.slice(2))
