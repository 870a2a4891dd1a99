import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { PROJECT_ROOT, projectFiles } from '#support/project/source-tree.ts'
import { buildContext, commandOf, pairsOf, readDockerfile } from './dockerfile.ts'

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8')
const stages = readDockerfile(read('Dockerfile'))
const takesPart = buildContext(read('.dockerignore'))
const steps = stages.flatMap((stage) => stage.steps)
const copied = steps
  .filter(({ word, flags }) => word === 'COPY' && flags['from'] === undefined)
  .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1))
/** The last instruction of a kind in a stage or its base stages. */
function restOf(word: string, name: string): string {
  const stage = stages.find((candidate) => candidate.name === name)
  return stage?.steps.findLast((step) => step.word === word)?.rest ?? (stage ? restOf(word, stage.base) : '')
}

describe('the image', () => {
  test('is built only from files of the checkout that .dockerignore includes', () => {
    expect(copied.length).toBeGreaterThan(10)
    expect(copied.filter((path) => !existsSync(join(PROJECT_ROOT, path)))).toEqual([])
    const paths = projectFiles().map(({ path }) => path)
    const taking = (folder: string): boolean =>
      paths.some((path) => (path === folder || path.startsWith(`${folder}/`)) && takesPart(path))
    expect(copied.filter((path) => !taking(path))).toEqual([])
  })

  test('contains no tests, no data and no keys', () => {
    const taking = projectFiles().filter(({ path }) => takesPart(path))
    expect(taking.filter(({ path }) => path.startsWith('test/') || path.endsWith('.test.ts'))).toEqual([])
    for (const path of [
      'data/core.db',
      'relay-data/tls/ca.key',
      '.env',
      'node_modules/zod/package.json',
      '.git/config',
    ])
      expect([path, takesPart(path)]).toEqual([path, false])
  })

  test('contains every script that its scripts import', () => {
    const scripts = copied.filter((path) => path.startsWith('scripts/'))
    const imported = scripts.flatMap((path) => [...read(path).matchAll(/from '\.\/([\w-]+\.mjs)'/g)])
    expect(scripts).toEqual(expect.arrayContaining(imported.map(([, name]) => `scripts/${name}`)))
  })

  test.each([
    ['gateway', ['node', 'scripts/healthcheck.mjs']],
    ['relay', ['node', 'scripts/healthcheck.mjs', 'relay']],
  ])('of the %s runs without privileges, with a first process that passes on signals', (name, health) => {
    expect([restOf('USER', name), commandOf(restOf('ENTRYPOINT', name))]).toEqual(['node', ['tini', '--']])
    expect(commandOf(restOf('HEALTHCHECK', name).replace(/^.*CMD /, ''))).toEqual(health)
  })

  test('copies the manifests of all packages, except the tests, before it installs', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: readonly string[] }
    const manifests = workspaces
      .filter((folder) => !folder.startsWith('test/'))
      .map((folder) => `${folder}/package.json`)
    expect(copied).toEqual(expect.arrayContaining(manifests))
  })

  test('compiles nothing for another architecture: packages bring native files for both', () => {
    expect([stages.at(0)?.name, stages.at(-1)?.name]).toEqual(['manifests', 'gateway'])
    for (const file of ['linux-x64', 'linux-arm64'])
      expect(existsSync(join(PROJECT_ROOT, `node_modules/better-sqlite3/prebuilds/${file}.node`))).toBe(true)
    for (const folder of ['linux-x64', 'linux-arm64'])
      expect(existsSync(join(PROJECT_ROOT, `node_modules/@serialport/bindings-cpp/prebuilds/${folder}`))).toBe(true)
    const installs = steps.filter(({ rest }) => /npm ci/.test(rest))
    expect(installs.every(({ rest }) => rest.includes('--ignore-scripts'))).toBe(true)
  })
})

test('deploy/compose.yaml isolates gateway and relay as in the trials of the image', () => {
  interface Service {
    readonly read_only?: boolean
    readonly cap_drop?: readonly string[]
    readonly security_opt?: readonly string[]
    readonly tmpfs?: readonly string[]
    readonly volumes?: readonly string[]
    readonly environment?: Readonly<Record<string, string>>
  }
  const { services, volumes } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: object
  }
  expect(Object.keys(services)).toEqual(['gateway', 'relay'])
  for (const service of Object.values(services)) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(service.tmpfs).toEqual(['/tmp'])
    expect(service.volumes).toHaveLength(1)
    expect(Object.keys(volumes)).toContain(service.volumes?.[0]?.split(':')[0])
  }
  const settings = `${read('relay/model/relay-settings.ts')}${read('src/settings/settings.ts')}`
  const named = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment))
  expect(named.filter((name) => !settings.includes(name))).toEqual([])
})

describe('the reader of a Dockerfile', () => {
  test('returns stages with flags and replaced arguments', () => {
    const lines = [
      '# syntax',
      'ARG BASE=node:24',
      `FROM \${BASE} AS one`,
      'RUN a && \\',
      '  # why',
      '  b',
      'FROM x',
      'COPY --from=one /a ./b',
    ]
    const text = lines.join('\n')
    expect(readDockerfile(text)).toEqual([
      { name: 'one', base: 'node:24', steps: [{ word: 'RUN', flags: {}, rest: 'a &&  b' }] },
      { name: '', base: 'x', steps: [{ word: 'COPY', flags: { from: 'one' }, rest: '/a ./b' }] },
    ])
  })

  test('reads values in quotes, and commands in both forms', () => {
    expect(pairsOf('A=1 B="two words" C=/a')).toEqual({ A: '1', B: 'two words', C: '/a' })
    expect([commandOf('["a", "b"]'), commandOf('a b')]).toEqual([
      ['a', 'b'],
      ['/bin/sh', '-c', 'a b'],
    ])
  })

  test('applies the last matching pattern of .dockerignore', () => {
    const takes = buildContext('*\n!src\n!scripts/*.mjs\n**/*.test.ts\n')
    const paths = ['README.md', 'src/main.ts', 'src/a/b.test.ts', 'scripts/run.mjs', 'scripts/check.ts']
    expect(paths.filter(takes)).toEqual(['src/main.ts', 'scripts/run.mjs'])
  })
})
