import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { requestsDuring, requestsToUnits } from '#support/gateway/requests-to-units.ts'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { settingsRead } from '#support/homes/intent-house.ts'
import { CATALOGUE, LETTER_OF, MODULES, rowsOf } from './catalogue-table.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'stream' })

interface Listed {
  readonly id: string
  readonly class: string
  readonly model?: string | null
  readonly gangs?: readonly { readonly id: string; readonly class: string }[]
}
interface Item {
  readonly intent: string
  readonly title: string
  readonly access: string
  readonly value: unknown
  readonly source: string
  readonly asOf: number | null
  readonly guidance?: string
  readonly appAction?: string
}
interface Place {
  readonly rooms: readonly { readonly units: readonly Listed[] }[]
}

/** Every unit of the house, modules with their gangs. */
async function unitsOf(home: TestHome): Promise<Listed[]> {
  const house = (await home.get('/v1/house')) as unknown as Place & { floors: Place[]; units: Listed[] }
  return [...house.floors, house].flatMap(({ rooms }) => rooms.flatMap(({ units }) => units)).concat(house.units)
}

async function listOf(
  home: TestHome,
  id: string,
): Promise<{ device: string; model: string | null; access: string; intents: Item[]; note: string }> {
  return (await home.get(`/v1/devices/${encodeURIComponent(id)}/intents`)) as never
}

const summaries = (items: readonly Item[]): string[] =>
  items.map(({ intent, access }) => `${intent} ${access}`).toSorted()
const expected = (letter: string, scope: 'unit' | 'module' | 'switch_gang' | 'shutter_gang'): string[] =>
  rowsOf(letter, scope)
    .map(([id, access]) => `${id} ${access}`)
    .toSorted()

verifies(
  ['2.7.catalogue', '2.7.access', '2.7.per-gang'],
  'every cell: each unit, module and gang of each model lists its intents and no other',
  async (home) => {
    const seen = new Set<string>()
    for (const unit of await unitsOf(home)) {
      const letter = LETTER_OF[unit.model ?? '']
      const listed = await listOf(home, unit.id)
      expect(listed.model).toBe(unit.model)
      const scope = letter !== undefined && MODULES.includes(letter) ? 'module' : 'unit'
      expect(summaries(listed.intents), unit.id).toEqual(letter === undefined ? [] : expected(letter, scope))
      seen.add(`${letter} ${scope}`)
      for (const gang of unit.gangs ?? []) {
        const gangScope = gang.class as 'switch_gang' | 'shutter_gang'
        expect(summaries((await listOf(home, gang.id)).intents), gang.id).toEqual(expected(letter ?? '', gangScope))
        seen.add(`${letter} ${gangScope}`)
      }
    }
    // The house has a device for every column of the table.
    expect([...seen].toSorted()).toEqual([
      'A unit',
      'B unit',
      'C module',
      'C switch_gang',
      'D module',
      'D switch_gang',
      'E module',
      'E shutter_gang',
      'E switch_gang',
      'P unit',
      'S unit',
      'T unit',
      'undefined unit',
    ])
  },
)

verifies(
  ['2.7.definition', 'intents.schema'],
  'each intent is defined with all its fields, its models and a schema that fits every value in the house',
  async (home) => {
    await settingsRead(home, clock)
    const { intents } = (await home.get('/v1/intents')) as { intents: Record<string, unknown>[] }
    expect(intents.map(({ id }) => String(id)).toSorted()).toEqual(CATALOGUE.map(([id]) => id).toSorted())
    const ajv = new Ajv2020({ strict: true })
    const fits = new Map(intents.map((intent) => [intent['id'], ajv.compile(intent['value'] as object)]))
    for (const [id, access, letters] of CATALOGUE) {
      const definition = intents.find((intent) => intent['id'] === id)!
      for (const field of ['title', 'meaning', 'when', 'notWhen', 'sideEffects'])
        expect(definition[field], `${id} ${field}`).toMatch(/\w{3}/)
      for (const field of ['prerequisites', 'errors', 'examples'])
        expect(definition[field], `${id} ${field}`).toEqual(expect.arrayContaining([expect.anything()]))
      expect(definition).toMatchObject({
        access,
        examples: expect.arrayContaining([
          { ask: expect.any(String), call: expect.stringMatching(/^(GET|PUT) \/v1\/devices\/\{id\}\/intents/) },
        ]),
      })
      expect((definition['models'] as string[]).map((model) => LETTER_OF[model]).join('')).toBe(letters)
      if (access === 'read_only')
        expect(definition).toMatchObject({ guidance: expect.stringMatching(/\w{3}/), appAction: 'unit.menus' })
      else expect(definition).toMatchObject({ guidance: null, appAction: null })
    }
    for (const device of (await unitsOf(home)).flatMap((unit) => [unit, ...(unit.gangs ?? [])])) {
      for (const { intent, value } of (await listOf(home, device.id)).intents) {
        expect(fits.get(intent)?.(value), `${device.id} ${intent} ${JSON.stringify(value)}`).toBe(true)
      }
    }
  },
)

verifies(
  ['2.7.list', '2.7.item', '2.7.guidance'],
  'the list has its fields, and an item the fields of its access',
  async (home) => {
    await settingsRead(home, clock)
    const list = (await home.get(home.at('hall-light', '/intents'))) as { intents: Item[]; note: string }
    expect(list).toMatchObject({
      house: 'Sonnenwinkel',
      device: home.id('hall-light'),
      model: 'HMHHX1',
      access: 'read_write',
    })
    expect(list.note).toMatch(/\w{3}/)
    const titles = ((await home.get('/v1/intents')) as { intents: { id: string; title: string; guidance: string }[] })
      .intents
    for (const item of list.intents) {
      const definition = titles.find(({ id }) => id === item.intent)!
      const fields = {
        intent: item.intent,
        title: definition.title,
        access: item.access,
        value: item.value,
        source: 'cache',
        asOf: expect.any(Number),
      }
      expect(item).toEqual(
        item.access === 'read_only' ? { ...fields, guidance: definition.guidance, appAction: 'unit.menus' } : fields,
      )
      expect(item.value).not.toBeNull()
      expect(item.asOf).toBeLessThanOrEqual(clock.now())
    }
    // As in the house file (src/demo/demo-plan.ts): a hall light with 4 min, 1 min and 60 lux.
    const valueOf = (id: string): unknown => list.intents.find(({ intent }) => intent === id)?.value
    expect([valueOf('off_after_no_motion'), valueOf('quick_off'), valueOf('only_when_dark')]).toEqual([4, 1, 60])
  },
)

verifies(['2.1.advanced-config-read'], 'with advanced_config read, the list shows it', async (home) => {
  const reader = await home.integrate({ settings: { advanced_config: 'read' } })
  expect(await home.get(home.at('hall-light', '/intents', reader), reader.token)).toMatchObject({
    access: 'read',
    device: home.id('hall-light', reader),
  })
})

verifies('2.7.no-frame', 'listing the intents and schedules of all units sends no frame', async (home) => {
  await settingsRead(home, clock)
  const requests = await requestsDuring(home, async () => {
    for (const device of (await unitsOf(home)).flatMap((unit) => [unit, ...(unit.gangs ?? [])])) {
      await listOf(home, device.id)
      await home.get(`/v1/devices/${encodeURIComponent(device.id)}/schedules`)
    }
  })
  expect(requests).toBe(0)
  // A control is counted.
  const before = requestsToUnits(home)
  await home.call({
    method: 'POST',
    path: home.at('guest-light', '/control'),
    body: { op: 'set_power', args: { on: false } },
  })
  expect(requestsToUnits(home)).toBeGreaterThan(before)
})
