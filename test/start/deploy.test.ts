import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STANDS_MS_MAX } from '../../src/operations/loop-guard.ts'
import { proves } from '#support/gateway/verifies.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const UNIT = join(PROJECT_ROOT, 'deploy/hm-gateway.service')
const unit = readFileSync(UNIT, 'utf8')

const settingsOf = (name: string): string[] => unit.match(new RegExp(`(?<=^${name}=).*`, 'gm')) ?? []

test('systemd is notified by the gateway, watches it, and restarts it without limit', () => {
  expect([settingsOf('Type'), settingsOf('NotifyAccess')]).toEqual([['notify'], ['all']])
  expect([settingsOf('Restart'), settingsOf('StartLimitIntervalSec')]).toEqual([['always'], ['0']])
  expect(Number(settingsOf('WatchdogSec')[0]) * 1_000).toBeGreaterThan(STANDS_MS_MAX)
})

test('the unit has its recorded security score', (context) => {
  const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', UNIT], { encoding: 'utf8' })
  if (status === null || !stdout.includes('Overall exposure')) return context.skip('systemd-analyze is not installed')
  expect(Number(/Overall exposure level .*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(1.7)
  return undefined
})

const exposureOf = (file: string): number | null => {
  const args = ['security', '--offline=true', join(PROJECT_ROOT, 'deploy', file)]
  const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  const level = /Overall exposure level .*: ([\d.]+)/.exec(stdout ?? '')?.[1]
  return status === null || level === undefined ? null : Number(level)
}

for (const [file, most] of [
  ['hm-relay.service', 1.4],
  ['relay-nats/nats-server.service', 1.3],
] as const)
  test(`${file} has its recorded security score`, (context) => {
    const exposure = exposureOf(file)
    if (exposure === null) return context.skip('systemd-analyze is not installed')
    expect(exposure).toBeLessThanOrEqual(most)
    return undefined
  })

test('the relay’s unit names variables that the relay reads', () => {
  const settings = readFileSync(join(PROJECT_ROOT, 'relay/model/relay-settings.ts'), 'utf8')
  const files = ['deploy/hm-relay.service', 'deploy/relay-nats/README.md']
  const named = files.flatMap((file) => readFileSync(join(PROJECT_ROOT, file), 'utf8').match(/HM_RELAY_[A-Z_]+/g) ?? [])
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !settings.includes(`'${name}'`))).toEqual([])
})

proves('relay.nats-example', 'stores each write on three servers, and names subjects in whole words', () => {
  const [readme = '', conf = ''] = ['README.md', 'nats.conf'].map((file) =>
    readFileSync(join(PROJECT_ROOT, 'deploy/relay-nats', file), 'utf8'),
  )
  expect(conf).toContain('sync_interval: always')
  expect(readme).toContain('HM_RELAY_NATS_REPLICAS=3')
  const subjects = [...readme.matchAll(/--allow-\w+ '([^']+)'/g)].flatMap(([, list = '']) => list.split(','))
  expect(subjects.length).toBeGreaterThan(5)
  // A star within a word is a literal star.
  expect(subjects.filter((subject) => /[^.]\*|\*[^.]/.test(subject))).toEqual([])
})
