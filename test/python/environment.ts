import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MissingPrerequisite } from '#support/project/missing-prerequisite.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { run } from '../generators/run.ts'
import { fetchPackages } from './packages.ts'

/** The oldest first: what works with it works with newer ones. */
const PYTHONS = ['python3.11', 'python3.12', 'python3.13', 'python3.14', 'python3']
const USABLE = 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'

/** A Python that is new enough and can make environments. @throws NotHere */
async function python(): Promise<string> {
  for (const python of PYTHONS) {
    const isUsable = await promisify(execFile)(python, ['-c', USABLE]).then(
      () => true,
      () => false,
    )
    if (isUsable) return python
  }
  throw new MissingPrerequisite(
    'there is no Python from 3.11 on with venv here; in Debian it is the package python3-venv',
  )
}

/**
 * The folder of an environment with the packages of a list. It lies in a folder that git ignores, and is made once for
 * each list.
 * @throws NotHere without a Python or a registry
 */
export async function pythonEnvironment(name: string, requirements: string): Promise<string> {
  const folder = join(PROJECT_ROOT, '.generated', name)
  const venv = join(folder, 'venv')
  const stamp = join(venv, 'made-of')
  const program = await python()
  const version = await run(PROJECT_ROOT, program, ['--version'])
  const madeOf = createHash('sha256')
    .update(`${version}${readFileSync(requirements, 'utf8')}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === madeOf) return venv
  console.log(`Fetching what the tests need, for ${version.trim()} …`)
  rmSync(venv, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await run(folder, program, ['-m', 'venv', venv])
  await fetchPackages(folder, join(venv, 'bin/pip'), requirements)
  writeFileSync(stamp, madeOf)
  return venv
}
