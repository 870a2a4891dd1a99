import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/index.ts'
import { ERRORS } from '../../src/wire/errors.ts'
import { hmProgram } from '../../src/cli/program.ts'
import { DEFAULT_KNOBS, KNOB_VALUES } from '../../src/exposure/knobs.ts'
import { EXPLAIN_KINDS } from '../../src/home/explain/explanation.ts'
import { readHomeFile } from '../../src/home/home-file.ts'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../src/home/model/events.ts'
import {
  ARGS_OF,
  OPERATIONS_OF,
  AC_MODES,
  FAN_SPEEDS,
  READING_KINDS,
  REMOTE_KEYS,
  SETTABLE_MODES,
  DETECTIONS,
} from '../../src/home/model/device.ts'
import { ENERGY_PERIODS } from '../../src/home/record/energy-range.ts'
import { SENSES_OF } from '../../src/home/rules/possible.ts'
import { LIMITS_PAGE, limitsPage } from '../../scripts/limits-page.ts'
import { parseTariffs, readTariffFile } from '../../src/home/record/tariff.ts'
import { codeBlocksOf, type MarkdownTable, tablesOf } from '#support/project/markdown-tables.ts'
import { type ProjectFile, projectFiles } from '#support/project/source-tree.ts'

const files = projectFiles()
const textOf = (path: string): string => files.find((file) => file.path === path)!.text
const tableOf = (path: string, headers: string): MarkdownTable =>
  tablesOf(textOf(path)).find((table) => table.headers.join() === headers)!
const words = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

describe('docs/api.md', () => {
  test('has every call of the service', () => {
    const calls = tableOf('docs/api.md', 'call,knob')
      .rows.map(([call]) => words(call!)[0]!)
      .filter((call) => call !== 'GET /v1/stream')
    const declared = Object.values(contract).map((endpoint) => `${endpoint.method} ${endpoint.path}`)
    expect(calls.toSorted()).toEqual(declared.toSorted())
  })

  test('has every operation of every class', () => {
    const onPage = new Map<string, string[]>()
    let classes: string[] = []
    for (const [className, op] of tableOf('docs/api.md', 'class,op,args').rows) {
      if (className !== '') classes = words(className!)
      for (const deviceClass of classes) onPage.set(deviceClass, [...(onPage.get(deviceClass) ?? []), ...words(op!)])
    }
    expect(onPage.get('power_switch')).toContain('set_temp')
    onPage.set(
      'power_switch',
      onPage.get('power_switch')!.filter((op) => op !== 'set_temp'),
    )
    for (const [className, operations] of Object.entries(OPERATIONS_OF))
      expect(onPage.get(className)?.toSorted(), className).toEqual(operations.toSorted())
  })

  test.each([
    ['set_mode', SETTABLE_MODES],
    ['set_ac_mode', AC_MODES],
    ['set_fan', FAN_SPEEDS],
    ['key', REMOTE_KEYS],
  ] as const)('has every word that %s takes', (op, values) => {
    const row = tableOf('docs/api.md', 'class,op,args').rows.find(([, ops]) => words(ops!).includes(op))!
    const [argument] = Object.keys(ARGS_OF[op].shape)
    expect([...row[2]!.matchAll(/"([^"]+)"/g)].map((match) => match[1])).toEqual([argument, ...values])
  })
})

test('docs/devices.md has what each class measures and detects', () => {
  const list = (cell: string): string[] => (cell === '' ? [] : cell.split(', '))
  const onPage = tableOf('docs/devices.md', 'class,readings,detections').rows.flatMap(
    ([classes, readings, detections]) =>
      words(classes!).map(
        (deviceClass) => [deviceClass, { readings: list(readings!), detections: list(detections!) }] as const,
      ),
  )
  expect(Object.fromEntries(onPage)).toEqual(SENSES_OF)
})

describe('docs/api.md has every word of', () => {
  test.each([
    ['activity', ACTIVITY_KINDS],
    ['causes', CAUSE_SOURCES],
    ['explain', EXPLAIN_KINDS],
    ['periods', ENERGY_PERIODS],
    ['detections', DETECTIONS],
    ['readings', READING_KINDS],
  ] as const)('%s', (_what, values) => {
    const spans = new Set(words(textOf('docs/api.md').replace(/^```[\s\S]*?^```/gm, '')))
    expect(values.filter((value) => !spans.has(value))).toEqual([])
  })
})

describe('docs/administration.md', () => {
  test('has every knob with its values and its default', () => {
    const onPage = tableOf('docs/administration.md', 'knob,values,default,what it allows').rows.map(
      ([knob, values, byDefault]) => [words(knob!)[0], values, byDefault],
    )
    expect(onPage).toEqual(
      Object.entries(KNOB_VALUES).map(([knob, values]) => [
        knob,
        values.join(', '),
        DEFAULT_KNOBS[knob as keyof typeof KNOB_VALUES],
      ]),
    )
  })

  test('has a house file that can be imported', () => {
    const [example] = codeBlocksOf(textOf('docs/administration.md'), 'yaml')
    const read = readHomeFile(example!, 'UTC')
    expect(read).toMatchObject({ ok: true, value: { house: { info: { timeZone: 'Europe/Berlin' } } } })
    if (!read.ok) return
    const { house, rules } = read.value
    expect(
      [house.floors, house.rooms, house.units, house.scenes, rules.automations, rules.schedules].every(
        (list) => list.length > 0,
      ),
    ).toBe(true)
  })
})

/** The commands below `command` that do something themselves, with their groups: `tls show`, `status`. */
function commandsOf(command: Command, group = ''): string[] {
  return command.commands.flatMap((command) => {
    const name = `${group}${command.name()}`
    return command.commands.length > 0 ? commandsOf(command, `${name} `) : [name]
  })
}

describe('the command line', () => {
  const commands = commandsOf(hmProgram())

  test('is found in the sources', () => {
    expect(commands).toEqual(
      expect.arrayContaining(['integration create', 'key revoke', 'house place', 'tls show', 'status', 'backup list']),
    )
  })

  test.each(commands)('hm %s is on a page', (command) => {
    const [group, name] = command.split(' ')
    const page = `${textOf('docs/administration.md')}\n${textOf('docs/hm.md')}`
    expect(
      page.includes(`\`hm ${command}`) ||
        page.includes(`bin/hm ${command}`) ||
        new RegExp(`^\\| \`bin/hm ${group} .*\`${name} `, 'm').test(page),
    ).toBe(true)
  })
})

test('docs/administration.md has a tariff file that can be set', () => {
  const [, example] = codeBlocksOf(textOf('docs/administration.md'), 'yaml')
  const content = readTariffFile(example!)
  expect(content).toMatchObject({ ok: true })
  if (content.ok)
    expect(parseTariffs(content.value)).toMatchObject({
      ok: true,
      value: { tariffs: [{ name: 'Flat' }, { name: 'Day and night' }] },
    })
})

describe('docs/limits.md', () => {
  const page = textOf(LIMITS_PAGE)
  const rows = tablesOf(page).flatMap((table) => table.rows)

  // scripts/generate-documents.ts --check compares the page with the code.
  test('has each bound once, in words', () => {
    expect(rows.length).toBeGreaterThan(250)
    const constants = rows.map(([, value]) => value!.slice(value!.indexOf('](')))
    expect(constants.filter((constant, index) => constants.indexOf(constant) !== index)).toEqual([])
    expect(rows.filter(([bound]) => bound === '')).toEqual([])
  })

  const source = (path: string, text: string): ProjectFile => ({ path, text })
  const body = source('src/api/call.ts', 'export const BODY_MS = 90_000\nconst RATE = { perSecond: 1, burst: 60 }\n')
  const rowOf = (cell: string): string => `| a body | ${cell} | 413 |`

  test.each([
    ['`BODY_MS`', '90 s', 'BODY_MS'],
    ['[1 s](../src/moved/call.ts#BODY_MS)', '90 s', 'BODY_MS'],
    ['`RATE.perSecond/burst`', '1/s, 60 at once', 'RATE.perSecond/burst'],
  ])('is written from %s', (cell, value, constant) => {
    expect(limitsPage(rowOf(cell), [body])).toBe(`| a body | [${value}](../src/api/call.ts#${constant}) | 413 |`)
  })

  test('takes no constant that is gone, of two files, or of no number', () => {
    expect(() => limitsPage(rowOf('`GONE_MS`'), [body])).toThrow('GONE_MS is declared in no file')
    const twice = [body, source('src/other.ts', 'const BODY_MS = 1')]
    expect(() => limitsPage(rowOf('`BODY_MS`'), twice)).toThrow('BODY_MS is declared in src/api/call.ts, src/other.ts')
    expect(() => limitsPage(rowOf('`WORD`'), [source('src/a.ts', "const WORD = 'x'")])).toThrow('no number WORD')
  })
})

test('docs/devices.md has every class with its operations', () => {
  const onPage = tableOf('docs/devices.md', 'class,model,operations').rows.flatMap(([names, , operations]) =>
    words(names!).map((name) => [name, operations] as const),
  )
  expect(onPage.map(([name]) => name).toSorted()).toEqual(Object.keys(OPERATIONS_OF).toSorted())
  for (const [name, operations] of onPage) {
    const named = operations!
      .split(';')[0]!
      .split(', ')
      .map((op) => op.replace(/ \(.*/, ''))
      .filter((op) => op !== 'none')
    expect(named, name).toEqual(OPERATIONS_OF[name as keyof typeof OPERATIONS_OF])
  }
})

describe('docs/decisions', () => {
  const pages = files.filter((file) => /^docs\/decisions\/(?!README)/.test(file.path))

  test('are all on the index', () => {
    const index = textOf('docs/decisions/README.md')
    expect(
      pages
        .filter((page) => !index.includes(`](${page.path.slice('docs/decisions/'.length)})`))
        .map((page) => page.path),
    ).toEqual([])
  })

  test.each(pages.map((page) => [page.path, page.text]))(
    '%s lists open points, decisions, reasons and promises',
    (_path, text) => {
      expect([...text.matchAll(/^## (.+)$/gm)].map((match) => match[1])).toEqual([
        'The specification says',
        'Decided',
        'Why',
        'A client can rely on',
      ])
    },
  )

  test('refusals.md has codes with their statuses', () => {
    const { rows } = tableOf('docs/decisions/refusals.md', 'status,codes')
    for (const [status, codes] of rows)
      for (const code of words(codes!)) expect(ERRORS[code as keyof typeof ERRORS]?.status, code).toBe(Number(status))
    expect(rows.length).toBeGreaterThan(0)
  })
})
