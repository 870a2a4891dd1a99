import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GATEWAY_ENV, GATEWAY_FLAGS, RELAY_FLAGS } from '../../scripts/gateway-flags.mjs'
import { killedStarter } from '#support/killed-starter.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'
import { tempFolder } from '#support/temp-folder.ts'

interface Setup {
  readonly NODE_PACKAGES: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>
  dependenciesAreCurrent(root: string, dev: boolean): boolean
}
const { NODE_PACKAGES, dependenciesAreCurrent } = (await import(
  new URL('../../scripts/setup.mjs', import.meta.url).href
)) as Setup

type Packages = Readonly<Record<string, { version?: string; dev?: boolean; optional?: boolean; link?: boolean }>>

/** A checkout with this lock file and npm’s record of the last install; null: no install was finished. */
function checkout(wanted: Packages, installed: Packages | null): string {
  const root = tempFolder()
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }))
  mkdirSync(join(root, 'node_modules'))
  if (installed !== null)
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: installed }))
  return root
}

describe('the locked dependencies', () => {
  const wanted = {
    '': { version: '1.1.0' },
    'node_modules/zod': { version: '4.6.7' },
    'node_modules/vitest': { version: '5.1.1', dev: true },
    'node_modules/for-another-platform': { version: '1.0.0', optional: true },
  }
  const production = { 'node_modules/zod': { version: '4.6.7' } }
  const all = { ...production, 'node_modules/vitest': { version: '5.1.1' } }

  test('are current when npm installed exactly these', () => {
    expect(dependenciesAreCurrent(checkout(wanted, all), true)).toBe(true)
  })

  test('are current for running without the packages of the checks, but not for checking', () => {
    const root = checkout(wanted, production)
    expect(dependenciesAreCurrent(root, false)).toBe(true)
    expect(dependenciesAreCurrent(root, true)).toBe(false)
  })

  test('are stale when the lock file names another version', () => {
    expect(dependenciesAreCurrent(checkout({ ...wanted, 'node_modules/zod': { version: '4.6.8' } }, all), false)).toBe(
      false,
    )
  })

  test('are stale when the lock file names one more', () => {
    expect(dependenciesAreCurrent(checkout({ ...wanted, 'node_modules/ws': { version: '8.0.0' } }, all), false)).toBe(
      false,
    )
  })

  test('are stale when the lock file names one more package of the project', () => {
    const link = { 'node_modules/@hm-gateway/lib': { link: true } }
    expect(dependenciesAreCurrent(checkout({ ...wanted, 'src/lib': {}, ...link }, all), false)).toBe(false)
    expect(
      dependenciesAreCurrent(checkout({ ...wanted, 'src/lib': {}, ...link }, { ...all, 'src/lib': {}, ...link }), true),
    ).toBe(true)
  })

  test('are stale when an install was cut short', () => {
    expect(dependenciesAreCurrent(checkout(wanted, null), false)).toBe(false)
  })
})

describe('the Node that runs the gateway', () => {
  test.each(Object.entries(NODE_PACKAGES))('is fetched for %s by its hash', (_platform, { version, integrity }) => {
    expect(version).toMatch(/^24\.\d+\.\d+$/)
    expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/)
  })

  test('has one digest in every stage of the image', () => {
    const image = readFileSync(join(PROJECT_ROOT, 'Dockerfile'), 'utf8')
    expect(image).toMatch(/^ARG NODE_IMAGE=node:24\.\S+@sha256:[0-9a-f]{64}$/m)
    const stages = image.match(/^FROM .+/gm) ?? []
    const bases = stages.map((stage) => stage.replace(/^FROM (?:--platform=\S+ )?(\S+).*$/, '$1').replace(/\W/g, ''))
    expect(new Set(bases)).toEqual(new Set(['NODE_IMAGE', 'manifests', 'base']))
  })

  test.each([
    ['Dockerfile', GATEWAY_FLAGS],
    ['deploy/hm-relay.service', RELAY_FLAGS],
    ['deploy/image/hm-relay', RELAY_FLAGS],
  ])('has the flags of npm start and npm run relay in %s', (file, flags) => {
    const [start] =
      /^(?:ExecStart=|CMD \["node"|cd \/app && exec node).*$/m.exec(readFileSync(join(PROJECT_ROOT, file), 'utf8')) ??
      []
    for (const flag of flags) expect(start).toContain(flag)
  })

  test('has the environment of npm start in the image', () => {
    const image = readFileSync(join(PROJECT_ROOT, 'Dockerfile'), 'utf8')
    for (const [name, value] of Object.entries(GATEWAY_ENV))
      expect(image).toMatch(new RegExp(`^ .*${name}=${value}$`, 'm'))
  })

  test('runs as npm start in the unit', () => {
    const unit = readFileSync(join(PROJECT_ROOT, 'deploy/hm-gateway.service'), 'utf8')
    expect(unit).toContain('\nExecStart=/usr/bin/env node scripts/run.mjs start\n')
  })
})

describe('the commands', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: PROJECT_ROOT, encoding: 'utf8' })

  test('are chosen by name; another name ends with 2 and lists them', () => {
    const { status, stderr } = run('scripts/run.mjs', 'stop')
    expect(status).toBe(2)
    expect(stderr).toContain(
      'start | setup | relay | hm | test | test:long | test:relay | test:generators | test:python | test:image | test:units | test:home-assistant | build:home-assistant | bench | bench:peers | simulate | figures | format | console:pictures | docs:examples | docs:generate',
    )
  })

  // It builds the bundle if the sources have changed.
  test('set up without starting a program, and name the Node for it', { tags: ['long'] }, () => {
    const { status, stdout, stderr } = run('scripts/run.mjs', 'setup')
    expect([status, stdout, stderr]).toEqual([0, '', `Everything is set up. Node: ${process.execPath}\n`])
  })

  test('leave no process behind when their parent was killed', { tags: ['long'] }, async () => {
    expect(await killedStarter(process.execPath, 'scripts/run.mjs', 'relay')).toBe('Ctrl-C stops it.')
  })

  test('of the checks end with 2 for an unknown check', () => {
    const { status, stderr } = run('scripts/check.ts', '--only', 'types,tpyes')
    expect(status).toBe(2)
    expect(stderr).toContain('There is no check "tpyes"')
  })

  test('name scripts that package.json and the runner agree on', () => {
    const commands = [
      'start',
      'setup',
      'relay',
      'test',
      'test:long',
      'test:relay',
      'test:generators',
      'test:python',
      'test:image',
      'test:units',
      'test:home-assistant',
      'build:home-assistant',
      'bench',
      'bench:peers',
      'simulate',
      'figures',
      'format',
      'console:pictures',
      'docs:examples',
      'docs:generate',
    ]
    const { scripts } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    expect(scripts).toEqual(Object.fromEntries(commands.map((name) => [name, `node scripts/run.mjs ${name}`])))
  })
})
