import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STANDS_MS_MAX } from '../src/gateway/loop-guard.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const UNIT = join(PROJECT_ROOT, 'deploy/hm-gateway.service')
const unit = readFileSync(UNIT, 'utf8')

const settingsOf = (name: string): string[] => unit.match(new RegExp(`(?<=^${name}=).*`, 'gm')) ?? []

test('systemd hears from the gateway, watches it, and starts it anew for ever', () => {
  expect([settingsOf('Type'), settingsOf('NotifyAccess')]).toEqual([['notify'], ['all']])
  expect([settingsOf('Restart'), settingsOf('StartLimitIntervalSec')]).toEqual([['on-failure'], ['0']])
  expect(Number(settingsOf('WatchdogSec')[0]) * 1_000).toBeGreaterThan(STANDS_MS_MAX)
})

test('the unit is as closed as it was measured', (context) => {
  const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', UNIT], { encoding: 'utf8' })
  if (status === null || !stdout.includes('Overall exposure')) return context.skip('systemd-analyze is not installed')
  expect(Number(/Overall exposure level .*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(1.7)
  return undefined
})
