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
  const receivedEvents = async (): Promise<unknown[]> => {
    await client.settled()
    await client.settled()
    return client.events.splice(0).map(({ event, state }: StreamEventMessage) => [event, state])
  }
  const made = (draft: AutomationDraft) => {
    const created = home.automations.create(draft, null, CAUSE)
    if (!created.ok) throw new Error('There are too many.')
    return created.value
  }
  return { home, integration, client, id, receivedEvents, made }
}

describe('the lists', () => {
  test('report created, edited, switched, paused and deleted rules', async () => {
    const { home, client, id, receivedEvents, made } = await opened()
    await client.subscribe('automations')
    const { id: local } = made(switching('lamp'))
    expect(await receivedEvents()).toEqual([
      ['automations', { id: id(`automation:${local}`), revision: 1, change: 'created' }],
    ])
    home.automations.update(local, { name: 'Lamp' }, 1, CAUSE, null)
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 2, change: 'edited' }]])
    home.automations.update(local, { name: 'Other', enabled: false }, 2, CAUSE, null)
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 3, change: 'disabled' }]])
    home.automations.update(local, { enabled: true }, 3, CAUSE, null)
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 4, change: 'enabled' }]])
    home.automations.take(local, { ...home.automations.get(local)!, paused: true })
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 4, change: 'paused' }]])
    home.automations.delete(local, CAUSE)
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 4, change: 'deleted' }]])
  })

  test('report several changes of one rule in one turn as one event', async () => {
    const { home, client, receivedEvents, made } = await opened()
    await client.subscribe('*')
    const { id: local } = made(switching('lamp'))
    home.automations.update(local, { name: 'Lamp' }, 1, CAUSE, null)
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 2, change: 'created' }]])
    made(switching('cellar'))
    home.automations.delete(home.automations.list().at(-1)!.id, CAUSE)
    expect(await receivedEvents()).toEqual([])
  })

  test('have events without a device', async () => {
    const { client, made } = await opened()
    const { body } = await client.subscribe('automations')
    made(switching('lamp'))
    await client.settled()
    expect(client.events).toMatchObject([{ device: null, class: null, house: 'Seeheim', seq: body.seq + 1 }])
  })

  test('report visible changes of scenes, and no hidden steps', async () => {
    const { home, client, id, receivedEvents } = await opened(HALL)
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
    // The scene has one more hidden device.
    expect(await receivedEvents()).toEqual([['scenes', { id: id('scene:evening'), revision: 1, change: 'edited' }]])
    edit([lamp!, cellar(false)], ['cellar'])
    expect(await receivedEvents()).toEqual([])
    edit([cellar(false)], ['lamp'])
    expect(await receivedEvents()).toMatchObject([['scenes', { revision: 2, change: 'edited' }]])
    home.house.removeScene('night', CAUSE)
    expect(await receivedEvents()).toEqual([])
    home.house.removeScene('evening', CAUSE)
    expect(await receivedEvents()).toMatchObject([['scenes', { revision: 2, change: 'deleted' }]])
  })

  test('hide rules that name a hidden device, also in the sequence numbers', async () => {
    const { home, client, receivedEvents, made } = await opened(HALL)
    const { body } = await client.subscribe('*')
    const { id: local } = made(switching('cellar'))
    home.automations.update(local, { enabled: false }, 1, CAUSE, null)
    home.automations.delete(local, CAUSE)
    expect(await receivedEvents()).toEqual([])
    expect((await client.subscribe('*')).body.seq).toBe(body.seq)
  })

  test('follow the exposure: a rule appears and disappears with its devices', async () => {
    const { home, client, receivedEvents, made } = await opened(HALL)
    made(switching('cellar'))
    await client.subscribe('automations')
    const place = (room: string | null): void =>
      home.house.placeUnit({ ...home.house.units.get('cellar')!, room }, CAUSE)
    place('hall')
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 1, change: 'created' }]])
    place(null)
    expect(await receivedEvents()).toMatchObject([['automations', { revision: 1, change: 'deleted' }]])
  })

  test('are reported while their knob is on', async () => {
    const { home, integration, client, receivedEvents, made } = await opened({ expose: 'All' }, {})
    await client.subscribe('automations')
    made(switching('lamp'))
    expect(await receivedEvents()).toEqual([])
    home.change(integration, { knobs: { ...integration.knobs, automations: 'on' } })
    expect(await receivedEvents()).toEqual([])
    made(switching('cellar'))
    expect(await receivedEvents()).toMatchObject([['automations', { change: 'created' }]])
  })

  test('can be resumed: rules that were deleted or hidden meanwhile are reported as deleted', async () => {
    const { home, integration, client, made } = await opened(HALL)
    const { body } = await client.subscribe('*')
    const [existing, deleted, hidden] = [made(switching('lamp')), made(switching('lamp')), made(switching('strip:1'))]
    await client.settled()
    home.automations.delete(deleted.id, CAUSE)
    await client.settled()
    const { gangs, ...strip } = home.house.units.get('strip')!
    home.house.placeUnit({ ...strip, gangs: gangs.map((gang) => ({ ...gang, room: 'attic' })) }, CAUSE)
    await client.settled()
    const again = await home.connect(home.token(integration))
    expect(await again.ask({ subscribe: ['automations'], since: body.seq })).toMatchObject({ body: { gap: false } })
    await again.settled()
    expect(again.events.map(({ state }) => [String(state?.['id']).split(':').at(-1), state?.['change']])).toEqual([
      [existing.id, 'created'],
      [deleted.id, 'deleted'],
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
  test('gets an event with its readable fields if its knobs or its exposure change', async () => {
    const { home, integration, client, receivedEvents } = await opened({ expose: 'All' }, { automations: 'on' })
    await client.subscribe('integration')
    home.change(integration, { knobs: { ...integration.knobs, automations: 'off', schedules: 'on' } })
    expect(await receivedEvents()).toEqual([
      [
        'integration',
        {
          id: integration.id,
          change: 'edited',
          read: ['/v1/integration', '/v1/house', '/v1/state', '/v1/mode', '/v1/scenes', '/v1/schedules'],
        },
      ],
    ])
    home.change(integration, { exposure: HALL })
    expect(await receivedEvents()).toMatchObject([['integration', { change: 'edited' }]])
    // An equal exposure, or a change of another integration, sends no event.
    home.change(integration, { exposure: HALL })
    home.change(home.integration(), { knobs: { ...integration.knobs, allow_unlock: 'on' } })
    home.house.renameRoom('hall', 'Vestibule', CAUSE)
    expect(await receivedEvents()).toEqual([])
  })
})
