import { withEdit } from '../home/model/house.ts'
import { describe, expect, test } from 'vitest'
import type { StreamEventMessage } from '#support/gateway/stream-client.ts'
import { StreamHome } from '#support/homes/stream-home.ts'
import type { Exposure } from '../exposure/integration.ts'
import type { Knobs } from '../exposure/knobs.ts'
import type { AutomationDraft } from '../home/model/rules.ts'

const CAUSE = { source: 'gateway', name: 'test' } as const
const ALL_ON = { automations: 'on', schedules: 'on' } as const
const HALL: Exposure = {
  expose: 'Selected',
  picks: [
    { kind: 'room', id: 'hall' },
    { kind: 'scene', id: 'evening' },
  ],
}
const switching = (device: string): AutomationDraft => ({
  name: device,
  enabled: true,
  when: [{ time: '07:00' }],
  if: [],
  then: [{ device, op: 'set_power', args: { on: true } }],
  mode: 'single',
})

async function opened(exposure: Exposure = { expose: 'All' }, knobs: Partial<Knobs> = ALL_ON) {
  const home = await StreamHome.open()
  const integration = home.integration(exposure, knobs)
  const client = await home.connect(home.token(integration))
  const id = (local: string): string => home.id(integration, local)
  const heard = async (): Promise<unknown[]> => {
    await client.settled()
    await client.settled()
    return client.events.splice(0).map(({ event, state }: StreamEventMessage) => [event, state])
  }
  const made = (draft: AutomationDraft) => {
    const created = home.automations.create(draft, null, CAUSE)
    if (!created.ok) throw new Error('There are too many.')
    return created.value
  }
  return { home, integration, client, id, heard, made }
}

describe('the lists', () => {
  test('tell what is made, edited, switched, paused and deleted in them', async () => {
    const { home, client, id, heard, made } = await opened()
    await client.subscribe('automations')
    const { id: local } = made(switching('lamp'))
    expect(await heard()).toEqual([['automations', { id: id(`automation:${local}`), revision: 1, change: 'created' }]])
    home.automations.update(local, { name: 'Lamp' }, 1, CAUSE, null)
    expect(await heard()).toMatchObject([['automations', { revision: 2, change: 'edited' }]])
    home.automations.update(local, { name: 'Other', enabled: false }, 2, CAUSE, null)
    expect(await heard()).toMatchObject([['automations', { revision: 3, change: 'disabled' }]])
    home.automations.update(local, { enabled: true }, 3, CAUSE, null)
    expect(await heard()).toMatchObject([['automations', { revision: 4, change: 'enabled' }]])
    home.automations.take(local, { ...home.automations.get(local)!, paused: true })
    expect(await heard()).toMatchObject([['automations', { revision: 4, change: 'paused' }]])
    home.automations.delete(local, CAUSE)
    expect(await heard()).toMatchObject([['automations', { revision: 4, change: 'deleted' }]])
  })

  test('tell several changes of one turn of one thing as one', async () => {
    const { home, client, heard, made } = await opened()
    await client.subscribe('*')
    const { id: local } = made(switching('lamp'))
    home.automations.update(local, { name: 'Lamp' }, 1, CAUSE, null)
    expect(await heard()).toMatchObject([['automations', { revision: 2, change: 'created' }]])
    made(switching('cellar'))
    home.automations.delete(home.automations.list().at(-1)!.id, CAUSE)
    expect(await heard()).toEqual([])
  })

  test('are told without a device, which other events are about', async () => {
    const { client, made } = await opened()
    const { body } = await client.subscribe('automations')
    made(switching('lamp'))
    await client.settled()
    expect(client.events).toMatchObject([{ device: null, class: null, house: 'Seeheim', seq: body.seq + 1 }])
  })

  test('of scenes tell what reads otherwise, and no step that is hidden', async () => {
    const { home, client, id, heard } = await opened(HALL)
    await client.subscribe('scenes')
    const scene = () => home.house.scenes.get('evening')!
    const edit = (steps: (typeof HALL)['expose'] | readonly object[], edits: readonly string[] | null): void =>
      home.house.saveScene(
        {
          ...scene(),
          steps: steps as never,
          revision: scene().revision + 1,
          edits: withEdit(scene().edits, edits),
        },
        'edited',
        CAUSE,
      )
    const [lamp] = scene().steps
    const cellar = (on: boolean) => ({ device: 'cellar', op: 'set_power', args: { on } })
    edit([lamp!, cellar(true)], ['cellar'])
    // One device more that is not shown.
    expect(await heard()).toEqual([['scenes', { id: id('scene:evening'), revision: 1, change: 'edited' }]])
    edit([lamp!, cellar(false)], ['cellar'])
    expect(await heard()).toEqual([])
    edit([cellar(false)], ['lamp'])
    expect(await heard()).toMatchObject([['scenes', { revision: 2, change: 'edited' }]])
    home.house.removeScene('night', CAUSE)
    expect(await heard()).toEqual([])
    home.house.removeScene('evening', CAUSE)
    expect(await heard()).toMatchObject([['scenes', { revision: 2, change: 'deleted' }]])
  })

  test('tell nothing of rules that name something hidden, nor by their numbers', async () => {
    const { home, client, heard, made } = await opened(HALL)
    const { body } = await client.subscribe('*')
    const { id: local } = made(switching('cellar'))
    home.automations.update(local, { enabled: false }, 1, CAUSE, null)
    home.automations.delete(local, CAUSE)
    expect(await heard()).toEqual([])
    expect((await client.subscribe('*')).body.seq).toBe(body.seq)
  })

  test('follow what is shown: a rule comes and goes with its devices', async () => {
    const { home, client, heard, made } = await opened(HALL)
    made(switching('cellar'))
    await client.subscribe('automations')
    const place = (room: string | null): void =>
      home.house.placeUnit({ ...home.house.units.get('cellar')!, room }, CAUSE)
    place('hall')
    expect(await heard()).toMatchObject([['automations', { revision: 1, change: 'created' }]])
    place(null)
    expect(await heard()).toMatchObject([['automations', { revision: 1, change: 'deleted' }]])
  })

  test('are told while their knob is on', async () => {
    const { home, integration, client, heard, made } = await opened({ expose: 'All' }, {})
    await client.subscribe('automations')
    made(switching('lamp'))
    expect(await heard()).toEqual([])
    home.change(integration, { knobs: { ...integration.knobs, automations: 'on' } })
    expect(await heard()).toEqual([])
    made(switching('cellar'))
    expect(await heard()).toMatchObject([['automations', { change: 'created' }]])
  })

  test('can be resumed; what went meanwhile is told, what is hidden meanwhile is not', async () => {
    const { home, integration, client, made } = await opened(HALL)
    const { body } = await client.subscribe('*')
    const [kept, gone, hidden] = [made(switching('lamp')), made(switching('lamp')), made(switching('strip:1'))]
    await client.settled()
    home.automations.delete(gone.id, CAUSE)
    await client.settled()
    const { gangs, ...strip } = home.house.units.get('strip')!
    home.house.placeUnit({ ...strip, gangs: gangs.map((gang) => ({ ...gang, room: 'attic' })) }, CAUSE)
    await client.settled()
    const again = await home.connect(home.token(integration))
    expect(await again.ask({ subscribe: ['automations'], since: body.seq })).toMatchObject({ body: { gap: false } })
    await again.settled()
    expect(again.events.map(({ state }) => [String(state?.['id']).split(':').at(-1), state?.['change']])).toEqual([
      [kept.id, 'created'],
      [gone.id, 'deleted'],
      [hidden.id, 'deleted'],
    ])
    home.change(integration, { knobs: { ...integration.knobs, automations: 'off' } })
    const blind = await home.connect(home.token(integration))
    await blind.ask({ subscribe: ['automations'], since: body.seq })
    await blind.settled()
    expect(blind.events).toEqual([])
  })
})

describe('the integration', () => {
  test('is told when its knobs or what it exposes change, with what can be read again', async () => {
    const { home, integration, client, heard } = await opened({ expose: 'All' }, { automations: 'on' })
    await client.subscribe('integration')
    home.change(integration, { knobs: { ...integration.knobs, automations: 'off', schedules: 'on' } })
    expect(await heard()).toEqual([
      [
        'integration',
        {
          id: integration.id,
          change: 'edited',
          read: ['/v1/integration', '/v1/house', '/v1/state', '/v1/scenes', '/v1/schedules'],
        },
      ],
    ])
    home.change(integration, { exposure: HALL })
    expect(await heard()).toMatchObject([['integration', { change: 'edited' }]])
    // The same once more, and what somebody else may do, is no change of this one.
    home.change(integration, { exposure: HALL })
    home.change(home.integration(), { knobs: { ...integration.knobs, allow_unlock: 'on' } })
    home.house.renameRoom('hall', 'Vestibule', CAUSE)
    expect(await heard()).toEqual([])
  })
})
