import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

const CI = join(PROJECT_ROOT, '.ci/run')

/** A folder of programs that replace npm and the installers: `npm run` of four steps, and the installation before. */
function standIns(steps: Readonly<Record<string, string>>): string {
  const folder = tempFolder()
  const program = (name: string, script: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program('dpkg-query', 'echo "install ok installed"')
  program('promtool', ':')
  const cases = Object.entries(steps).map(([step, script]) => `${step}) ${script};;`)
  program('npm', `case "$2" in ${cases.join(' ')} esac`)
  return folder
}

function ci(steps: Readonly<Record<string, string>>): { readonly code: number | null; readonly lines: string[] } {
  const { status, stdout } = spawnSync('bash', [CI], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${standIns(steps)}${delimiter}${process.env['PATH']}` },
  })
  return { code: status, lines: stdout.trimEnd().split('\n') }
}

describe('.ci/run', () => {
  test('says last of all what failed, of each step', () => {
    const { code, lines } = ci({
      test: 'echo all is well',
      'test:long': 'echo "FAILED: one.test.ts > one: Error: why" > "$HM_FAILURES"; seq 500; exit 1',
      'test:relay': 'echo fell over; exit 7',
    })
    expect(code).toBe(1)
    expect(lines.slice(-7)).toEqual([
      '',
      'npm run test:long ended with 1:',
      'FAILED: one.test.ts > one: Error: why',
      '',
      'npm run test:relay ended with 7:',
      'fell over',
      'CI: failed (npm run test with 0, npm run test:long with 1, npm run test:relay with 7, npm run test:generators with 0, npm run test:python with 0, npm run test:home-assistant with 0).',
    ])
  })

  test('says that all passed, and no more', () => {
    expect(ci({ test: 'echo all is well' })).toEqual({ code: 0, lines: ['all is well', 'CI: passed.'] })
  })
})

const PLANTED = `
import { beforeAll, describe, expect, test } from 'vitest'
describe('one', () => {
  test('that fails', () => expect({ a: 1 }).toEqual({ a: 2 }))
  test('that passes', () => {})
  test('that leaves an error behind', async () => {
    void Promise.reject(new Error('left behind'))
    await new Promise(setImmediate)
  })
})
describe('another', () => {
  beforeAll(() => { throw new Error('in a hook') })
  test('that is not run', () => {})
})`

test(
  'what failed in a run of vitest is written down: tests, hooks, files, and errors outside of them',
  { tags: ['long'] },
  () => {
    const folder = tempFolder()
    symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'))
    const reporter = join(PROJECT_ROOT, 'test/support/project/failed-tests.ts')
    const file = join(folder, 'failures')
    writeFileSync(
      join(folder, 'vitest.config.mjs'),
      `import { FailedTests } from '${reporter}'\nexport default { test: { reporters: [new FailedTests('${file}')] } }`,
    )
    mkdirSync(join(folder, 'planted'))
    writeFileSync(join(folder, 'planted/one.test.mjs'), PLANTED)
    writeFileSync(join(folder, 'planted/two.test.mjs'), "import './nothing.mjs'\n")
    const { status } = spawnSync(process.execPath, [join(folder, 'node_modules/vitest/vitest.mjs'), 'run'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    })
    expect(status).toBe(1)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('FAILED')).toSorted()).toEqual([
      'FAILED: outside of all tests, during planted/one.test.mjs > that leaves an error behind: Error: left behind',
      'FAILED: planted/one.test.mjs > another: Error: in a hook',
      'FAILED: planted/one.test.mjs > one > that fails: AssertionError: expected { a: 1 } to deeply equal { a: 2 }',
      expect.stringContaining("FAILED: planted/two.test.mjs: Error: Cannot find module './nothing.mjs'"),
    ])
    expect(lines).toEqual(
      expect.arrayContaining(['    at planted/one.test.mjs:4', '    -   "a": 2,', '    +   "a": 1,']),
    )
  },
)
