import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { ATTENTION_KINDS } from '../../src/admin/contract/gateway.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { PROMTOOL, promtool } from '#support/operations/promtool.ts'
import { tempFolder } from '#support/temp-folder.ts'

const ALERTS = 'deploy/monitoring/alerts.yaml'
const DASHBOARD = 'deploy/monitoring/dashboard.json'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
  readonly fieldConfig: { readonly defaults: { readonly unit: string } }
}

let running: TestGateway
let names: ReadonlySet<string>
let rules: readonly Rule[]
beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false })
  const { out } = await hm(running.dataDir, 'metrics')
  const types = [...out.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  const rows = (name = '', type = ''): readonly string[] =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]
  names = new Set(types.flatMap(([, name, type]) => rows(name, type)))
  const file = parse(readFileSync(ALERTS, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] }
  rules = file.groups.flatMap((group) => group.rules)
})
afterAll(() => running[Symbol.asyncDispose]())

const namesIn = (text: string): readonly string[] => [...new Set(text.match(/\bhm_\w+/g))]
const unknown = (text: string): readonly string[] => namesIn(text).filter((name) => !names.has(name))

test('the eight alert rules use existing metrics', () => {
  expect(rules).toHaveLength(8)
  expect(rules.flatMap(({ expr }) => unknown(expr))).toEqual([])
  expect(unknown('rate(hm_invented_total[5m])')).toEqual(['hm_invented_total'])
})

test('each attention kind has one alert rule', () => {
  const kinds = rules.flatMap(({ expr }) => /kind=~?"([^"]+)"/.exec(expr)?.[1]?.split('|') ?? [])
  expect(kinds.toSorted()).toEqual([...ATTENTION_KINDS].toSorted())
})

test('the dashboard shows every metric, and no unknown one', () => {
  const text = readFileSync(DASHBOARD, 'utf8')
  expect(unknown(text.replaceAll('hm_gateway', ''))).toEqual([])
  // A histogram is shown by its buckets; a metric with the information of another one needs no panel.
  const elsewhere =
    /_sum$|_count$|^hm_(?:build_info|integrations|incidents|disk_bytes|disk_takes_writes|clock_believed|stream_silent_total)$/
  expect([...names].filter((name) => !elsewhere.test(name) && !text.includes(`${name}{`))).toEqual([])
})

test('counters are shown per period, and the panels name the period', () => {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: readonly Panel[] }
  const queries = panels.flatMap(({ title, targets, fieldConfig: { defaults } }) =>
    targets.map(({ expr }) => {
      const isCounter = namesIn(expr).some((name) => /_(?:total|bucket)$/.test(name))
      const way = /\b(rate|increase)\(/.exec(expr)?.[1] ?? null
      return { title, isCounter, way, unit: defaults.unit, inAnHour: expr.includes('[1h]') }
    }),
  )
  expect(queries.filter(({ isCounter, way }) => isCounter !== (way !== null))).toEqual([])
  const hourly = queries.filter(({ way }) => way === 'increase')
  expect(
    hourly.filter(({ title, unit, inAnHour }) => !title.endsWith('in an hour') || unit !== 'short' || !inAnHour),
  ).toEqual([])
  // Events that occur a few times a day are invisible as rates per second.
  expect(queries.filter(({ way, unit }) => way === 'rate' && unit === 'short')).toEqual([])
  expect(new Set(hourly.map(({ title }) => title)).size).toBe(4)
})

test.runIf(PROMTOOL)('promtool accepts the rules and the queries of the dashboard', () => {
  expect(promtool(['check', 'rules', ALERTS])).toBe('')
  const expressions = [...readFileSync(DASHBOARD, 'utf8').matchAll(/"expr": (".*")/g)].map(([, text = '']) =>
    (JSON.parse(text) as string).replaceAll('$instance', '.*'),
  )
  const rules = expressions.map((expr, at) => ({ record: `asked:${at}`, expr }))
  const file = join(tempFolder(), 'asked.yaml')
  writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }))
  expect([expressions.length > 30, promtool(['check', 'rules', file])]).toEqual([true, ''])
  writeFileSync(file, stringify({ groups: [{ name: 'broken', rules: [{ record: 'asked:0', expr: 'rate(hm_x)' }] }] }))
  expect(promtool(['check', 'rules', file])).not.toBe('')
})
