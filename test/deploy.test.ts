import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GATEWAY_FLAGS } from '../scripts/gateway-flags.mjs'
import { STANDS_MS_MAX } from '../src/gateway/loop-guard.ts'
import { PROJECT_ROOT } from '#support/project/source-tree.ts'

const UNIT = join(PROJECT_ROOT, 'deploy/hm-gateway.service')
const unit = readFileSync(UNIT, 'utf8')
const image = readFileSync(join(PROJECT_ROOT, 'Dockerfile'), 'utf8')

const settingsOf = (name: string): string[] => unit.match(new RegExp(`(?<=^${name}=).*`, 'gm')) ?? []

test('the unit and the image run the gateway as npm start does', () => {
  expect(settingsOf('ExecStart')).toEqual([`/usr/bin/env node ${GATEWAY_FLAGS.join(' ')} src/main.ts`])
  expect(JSON.parse(/^CMD (.*)$/m.exec(image)?.[1] ?? '')).toEqual(['node', ...GATEWAY_FLAGS, 'src/main.ts'])
})

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

test('every stage of the image builds on the same bytes', () => {
  expect(image).toMatch(/^ARG NODE_IMAGE=node:24\.[\w.-]+@sha256:[0-9a-f]{64}$/m)
  expect(image.match(/^FROM /gm)).toHaveLength(2)
  expect(image.match(/^FROM \$\{NODE_IMAGE\}/gm)).toHaveLength(2)
})
