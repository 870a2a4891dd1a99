// Texts of Home Assistant in English and German, and its settings: both have the same keys, and all keys of the code.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { INTENTS, shapeOf, type Shape } from '../../src/intents/index.ts'

const COMPONENT = join(import.meta.dirname, '../../python/home-assistant/custom_components/hm_gateway')
const sourceOf = (name: string): string => readFileSync(join(COMPONENT, name), 'utf8')
const json = (name: string): Tree => JSON.parse(sourceOf(name)) as Tree
const code = readdirSync(COMPONENT)
  .filter((name) => name.endsWith('.py'))
  .map(sourceOf)
  .join('\n')

type Tree = { readonly [name: string]: Tree | string }

/** Every text by the path of its keys. */
function textsOf(tree: Tree, path = ''): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [name, below] of Object.entries(tree)) {
    const here = path === '' ? name : `${path}.${name}`
    for (const [key, text] of typeof below === 'string' ? [[here, below] as const] : textsOf(below, here))
      texts.set(key, text)
  }
  return texts
}

function keysUnder(path: string): string[] {
  let here: Tree | string | undefined = english
  for (const name of path.split('.')) here = (here as Tree)[name]
  return Object.keys(here as Tree).sort()
}

const placeholdersIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()
const named = (pattern: RegExp): string[] =>
  [...new Set([...code.matchAll(pattern)].map(([, name = '']) => name))].sort()

const english = json('translations/en.json')
const german = json('translations/de.json')

test('English and German have the same keys, with the same placeholders', () => {
  const [en, de] = [textsOf(english), textsOf(german)]
  expect([...de.keys()].sort()).toEqual([...en.keys()].sort())
  for (const [key, text] of en) expect(placeholdersIn(de.get(key) ?? ''), key).toEqual(placeholdersIn(text))
})

test('the text of an error is a sentence, even without the reason of the gateway', () => {
  const texts = [english, german].flatMap((tree) =>
    [...textsOf(tree)].filter(([key]) => /^config\.(error|abort)\./.test(key)),
  )
  expect(texts.length).toBeGreaterThan(0)
  expect(texts.filter(([, text]) => !/\w+ \w+ \w+/.test(text.replace(/\{\w+\}/g, '')))).toEqual([])
})

test('every step, error and reason of the flow has its words, and no other has', () => {
  expect(keysUnder('config.step')).toEqual(named(/(?:self\._ask\(\s*|step_id=)"(?!init")(\w+)"/g))
  const [, keys = ''] = sourceOf('config_flow.py').split('def _error_key(')
  const errors = [...keys.matchAll(/^ {4,8}return .*$/gm)].flatMap(([line]) => line.match(/"\w+"/g) ?? [])
  expect(keysUnder('config.error')).toEqual(
    [...named(/errors\[CONF_CODE\] = "(\w+)"/g), ...errors.map((shape) => shape.slice(1, -1))].sort(),
  )
  const [own, ready] = [named(/async_abort\(reason="(\w+)"/g), named(/reason="(wrong_gateway|moved)"/g)]
  // These three Home Assistant names itself.
  const others = ['already_configured', 'reauth_successful', 'reconfigure_successful', 'not_connected']
  const reasons = [...keysUnder('config.abort'), ...keysUnder('options.abort')]
  expect(reasons.sort()).toEqual([...new Set([...own, ...ready, ...others])].sort())
})

test('every repair and every exception has its words, and no other has', () => {
  expect(keysUnder('issues')).toEqual(named(/^(?:CA_CHANGED|DISABLED|UNLOCK|SETTINGS): Final = "(\w+)"/gm))
  expect(keysUnder('exceptions')).toEqual(named(/translation_key="(refused|not_\w+|no_\w+)"/g))
})

/** How each setting that can be changed is shown: by the type of its values, whatever it is of. */
const SHOWN = INTENTS.filter(({ access }) => access === 'read_write').map((intent) => {
  const shape = shapeOf(intent)
  const shapes = Array.isArray(shape['anyOf']) ? (shape['anyOf'] as readonly Shape[]) : [shape]
  const types = new Set(shapes.map((shape) => ('enum' in shape ? 'enum' : shape['type'])))
  return { intent, shapes, type: types.size === 1 ? [...types][0] : 'mixed' }
})
const idsOf = (type: string): string[] =>
  SHOWN.filter((shape) => shape.type === type)
    .map(({ intent }) => intent.id)
    .sort()

const MODES: readonly string[] = ['home_mode', 'mode']

test('every setting that Home Assistant shows has its words, and no other has', () => {
  expect(keysUnder('entity.number')).toEqual(idsOf('integer'))
  expect(keysUnder('entity.switch')).toEqual(idsOf('boolean'))
  // The modes of the home and of a load are no settings of the catalogue.
  expect(keysUnder('entity.select')).toEqual([...idsOf('enum'), ...MODES].sort())
  for (const { intent, shapes, type } of SHOWN)
    if (type === 'enum')
      expect(keysUnder(`entity.select.${intent.id}.state`)).toEqual(
        shapes.flatMap((shape) => shape['enum'] as string[]).sort(),
      )
})

test('every setting has its picture', () => {
  for (const [platform, type] of [
    ['number', 'integer'],
    ['switch', 'boolean'],
    ['select', 'enum'],
  ] as const)
    expect(
      Object.keys((json('icons.json')['entity'] as Tree)[platform] as Tree)
        .filter((id) => !MODES.includes(id))
        .sort(),
    ).toEqual(idsOf(type))
})

test('settings without an entity are in the documentation', () => {
  const page = readFileSync(join(COMPONENT, '../../../../docs/home-assistant.md'), 'utf8')
  const [, missing = ''] = page.split('## What is not there')
  const others = SHOWN.filter(({ type }) => type !== 'integer' && type !== 'boolean' && type !== 'enum')
  expect(others.map(({ intent }) => intent.id)).toEqual(['climate'])
  for (const { intent } of others) expect(missing).toContain(`\`${intent.id}\``)
})

const SIGNS: Readonly<Record<string, string>> = {
  PERCENTAGE: '%',
  LIGHT_LUX: 'lx',
  'UnitOfTime.SECONDS': 's',
  'UnitOfTime.MINUTES': 'min',
}

test('every number is shown with the unit of measure that the catalogue has', () => {
  const [, table = ''] = /^UNITS: .* = \{\n([^}]*)\}/m.exec(sourceOf('number.py')) ?? []
  const units = [...table.matchAll(/"(\w+)": \(([\w.]+), /g)].map(([, id = '', sign = '']) => [id, SIGNS[sign] ?? sign])
  const numbers = SHOWN.filter(({ type }) => type === 'integer').map(({ intent }) => [intent.id, intent.unit])
  expect(units).toEqual(numbers)
})
