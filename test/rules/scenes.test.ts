import { expect } from 'vitest'
import { verifiesOver } from '#support/gateway/harness.ts'
import { refusedAsText } from '#support/gateway/text-values.ts'
import { power, statusAndCode, RuleCalls } from '#support/gateway/rule-calls.ts'

const verifies = verifiesOver('stream')

verifies(
  ['4.scene-create', 'requests.created', '2.5.scene-body', '2.5.scene-origin', '2.5.revision'],
  'a scene is created with 201, its place, its origin and revision 1',
  async (home) => {
    const scenes = new RuleCalls(home, 'scene')
    const steps = [
      power(home, 'study-light', true),
      { delay: 2.5 },
      { device: home.id('living-lamp'), op: 'set_brightness', args: { bri: 20 } },
    ]
    const answer = await scenes.send('POST', undefined, {
      name: 'Reading',
      icon: 'repository',
      floorId: home.id('floor:first-floor'),
      roomId: home.id('room:study'),
      steps,
    })
    const { scene } = answer.body as { scene: { id: string } }
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      house: 'Sonnenwinkel',
      scene: {
        id: expect.stringMatching(new RegExp(`^${home.id('scene:')}[a-z0-9]+$`)),
        name: 'Reading',
        icon: 'repository',
        floor: home.id('floor:first-floor'),
        room: home.id('room:study'),
        members: [home.id('study-light'), home.id('living-lamp')],
        hiddenMembers: 0,
        steps,
        running: false,
        revision: 1,
        origin: { integration: home.main.id, link: home.main.link },
      },
    })
    if (home.transport === 'http')
      expect(decodeURIComponent(answer.headers?.['location'] ?? '')).toBe(`/v1/scenes/${scene.id}`)
    expect(await scenes.get(scene.id)).toEqual(scene)
    expect((await scenes.list()).find(({ id }) => id === scene.id)).toMatchObject({ name: 'Reading', revision: 1 })
  },
)

verifies('2.5.scene-body', 'each field may be null or left out; a new scene needs a name', async (home) => {
  const scenes = new RuleCalls(home, 'scene')
  const bare = await scenes.create({
    name: 'Bare',
    icon: null,
    floorId: null,
    roomId: null,
    steps: null,
    ifRevision: null,
  })
  expect(bare).toMatchObject({ icon: null, floor: null, room: null, steps: [], members: [], revision: 1 })
  for (const body of [{}, { name: null }, { name: '' }, { name: ' ' }, { name: 7 }, { icon: 'repository' }]) {
    expect(statusAndCode(await scenes.send('POST', undefined, body))).toEqual([422, 'validation'])
  }
  const full = await scenes.edit(bare.id, {
    name: 'Full',
    icon: 'star',
    roomId: home.id('room:study'),
    steps: [power(home, 'study-light', true)],
    ifRevision: 1,
  })
  expect(full).toMatchObject({ name: 'Full', icon: 'star', room: home.id('room:study'), revision: 2 })
  // Null removes optional fields, and leaves name and steps as they are.
  expect(
    await scenes.edit(bare.id, { name: null, icon: null, roomId: null, steps: null, ifRevision: 2 }),
  ).toMatchObject({ name: 'Full', icon: null, room: null, steps: full.steps, revision: 3 })
})

verifies(
  '4.scene-create',
  'on a Selected integration the new scene joins its selection, and no other integration’s',
  { tags: ['long'] },
  async (home) => {
    const [selected, other] = await Promise.all([
      home.integrate({ expose: ['room:study'] }),
      home.integrate({ expose: ['room:study'] }),
    ])
    const made = await new RuleCalls(home, 'scene', selected).create({
      name: 'Mine',
      steps: [power(home, 'study-light', true, selected)],
    })
    expect((await new RuleCalls(home, 'scene', selected).list()).map(({ id }) => id)).toEqual([made.id])
    const { scenes } = (await home.get('/v1/house', selected.token)) as { scenes: { id: string }[] }
    expect(scenes.map(({ id }) => id)).toEqual([made.id])
    expect(await new RuleCalls(home, 'scene', other).list()).toEqual([])
    const { integration } = (await home.running.admin.call('GET', `/integrations/${selected.id}`)) as {
      integration: { expose: string[] }
    }
    expect(integration.expose).toEqual(['room:study', made.id.split(':').slice(2).join(':')])
  },
)

verifies(
  ['4.scene-edit', '2.5.revision'],
  'an edit changes the named fields, increases the revision, and takes effect in the next run',
  async (home) => {
    const scenes = new RuleCalls(home, 'scene')
    const { id } = await scenes.create({ name: 'Draft', steps: [power(home, 'study-light', true)] })
    const edited = await scenes.edit(id, { name: 'Final', ifRevision: 1 })
    expect(edited).toMatchObject({ id, name: 'Final', revision: 2, steps: [power(home, 'study-light', true)] })
    expect(await scenes.edit(id, { steps: [power(home, 'study-light', false)], ifRevision: 2 })).toMatchObject({
      revision: 3,
      steps: [power(home, 'study-light', false)],
    })
    expect(await scenes.get(id)).toMatchObject({ name: 'Final', revision: 3 })
    await home.call({
      method: 'POST',
      path: home.at('study-light', '/control'),
      body: { op: 'set_power', args: { on: true } },
    })
    const ran = new Promise<void>((resolve) => {
      const stop = home.running.gateway.home.events.on((event) => {
        if (event.kind !== 'scene' || event.running || !id.endsWith(event.scene)) return
        stop()
        resolve()
      })
    })
    expect(await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(id)}/run` })).toMatchObject({
      status: 200,
    })
    await ran
    expect(await home.get(home.at('study-light'))).toMatchObject({ device: { state: { on: false } } })
  },
)

verifies(
  ['4.rule6.scene', '7.revision', 'automations.if-revision'],
  'an outdated revision is 409 and names the current one; a missing one is 422',
  async (home) => {
    const scenes = new RuleCalls(home, 'scene')
    const { id } = await scenes.create({ name: 'Draft' })
    await scenes.edit(id, { name: 'Second', ifRevision: 1 })
    for (const ifRevision of [1, 3, 99]) {
      const answer = await scenes.send('PATCH', id, { name: 'Third', ifRevision })
      expect(statusAndCode(answer)).toEqual([409, 'revision_mismatch'])
      expect(answer.text).toContain('revision is now 2')
    }
    for (const body of [
      { name: 'Third' },
      { name: 'Third', ifRevision: null },
      ...refusedAsText(home, { name: 'Third', ifRevision: '2' }),
      { name: 'Third', ifRevision: 0 },
    ]) {
      const answer = await scenes.send('PATCH', id, body)
      expect(statusAndCode(answer)).toEqual([422, 'validation'])
      expect(answer.text).toContain('ifRevision')
    }
    expect(await scenes.get(id)).toMatchObject({ name: 'Second', revision: 2 })
  },
)

verifies(
  ['4.rule5.exposed', 'refusals.body-ids'],
  'steps, room and floor name only exposed objects: else 404, after the form of the body was checked',
  async (home) => {
    const narrow = await home.integrate({ expose: ['room:study'] })
    const scenes = new RuleCalls(home, 'scene', narrow)
    const hidden = (local: string) => ({ name: 'Sneaky', steps: [power(home, local, true, narrow)] })
    for (const body of [
      hidden('hall-light'),
      hidden('never-was'),
      { name: 'Sneaky', roomId: home.id('room:hall', narrow) },
      { name: 'Sneaky', floorId: home.id('floor:first-floor', narrow) },
      { name: 'Sneaky', steps: [power(home, 'study-light', true, narrow), power(home, 'hall-light', true, narrow)] },
      { name: 'Sneaky', steps: [power(home, 'study-light', true)] },
    ])
      expect(statusAndCode(await scenes.send('POST', undefined, body)), JSON.stringify(body)).toEqual([
        404,
        'not_found',
      ])
    // Hidden and missing objects look the same, even in a body with other errors.
    for (const local of ['hall-light', 'never-was']) {
      const answer = await scenes.send('POST', undefined, {
        name: 'Sneaky',
        steps: [power(home, local, true, narrow)],
        colour: 'red',
      })
      expect(statusAndCode(answer)).toEqual([422, 'validation'])
      expect(answer.text).toContain('colour')
    }
    expect(await scenes.list()).toEqual([])
  },
)

verifies(
  'automations.step',
  'a step is a device with op and args, or a delay of 0.1 to 3600 seconds; at most 100',
  async (home) => {
    const scenes = new RuleCalls(home, 'scene')
    const make = (steps: unknown) => scenes.send('POST', undefined, { name: 'Steps', steps })
    const lamp = home.id('living-lamp')
    for (const step of [
      { delay: 0.1 },
      { delay: 3_600 },
      { device: lamp, op: 'set_brightness', args: { bri: 0 } },
      { device: lamp, op: 'set_brightness', args: { bri: 100 } },
      { device: home.id('living-shutter'), op: 'open' },
      { device: home.id('bedroom-ac'), op: 'set_fan', args: { fan: 'low' } },
    ]) {
      const answer = await make([step])
      expect(answer.status, JSON.stringify(step)).toBe(201)
      expect(answer.body).toMatchObject({ scene: { steps: [step] } })
    }
    for (const step of [
      { delay: 0.09 },
      { delay: 3_600.1 },
      ...refusedAsText(home, { delay: '5' }),
      { delay: null },
      { device: lamp },
      { op: 'open' },
      { device: lamp, op: 'open' },
      { device: lamp, op: 'fly' },
      { device: lamp, op: 'set_brightness', args: { bri: 101 } },
      { device: lamp, op: 'set_brightness', args: { bri: -1 } },
      { device: lamp, op: 'set_brightness' },
      { device: lamp, op: 'set_brightness', args: { bri: 5, on: true } },
      { device: lamp, op: 'set_power', args: { on: true }, delay: 5 },
      { device: home.id('landing-sensor'), op: 'set_power', args: { on: true } },
      { device: home.id('kitchen-panel'), op: 'set_power', args: { on: true } },
      { scene: home.id('scene:dinner') },
      {},
      null,
      'open',
      [],
    ])
      expect(statusAndCode(await make([step])), JSON.stringify(step)).toEqual([422, 'validation'])
    const many = (count: number) => Array.from({ length: count }, () => power(home, 'study-light', true))
    expect((await make(many(100))).status).toBe(201)
    expect(statusAndCode(await make(many(101)))).toEqual([422, 'validation'])
    expect(statusAndCode(await make('none'))).toEqual([422, 'validation'])
  },
)

verifies(
  ['2.5.not-ownership', '4.scene-edit'],
  'another integration that sees the scene can edit it; the origin stays',
  async (home) => {
    const made = await new RuleCalls(home, 'scene').create({
      name: 'Shared',
      steps: [power(home, 'study-light', true)],
    })
    const other = new RuleCalls(home, 'scene', await home.integrate({ name: 'Other' }))
    const edited = await other.edit(other.mine(made.id), { name: 'Taken', ifRevision: 1 })
    expect(edited).toMatchObject({
      name: 'Taken',
      revision: 2,
      origin: { integration: home.main.id, link: home.main.link },
    })
  },
)

verifies(
  ['4.rule5.exposed'],
  'a scene that opens an entrance is saved only with permission to open it',
  async (home) => {
    const careful = new RuleCalls(home, 'scene', await home.integrate({ settings: { allow_unlock: 'off' } }))
    const opens = { name: 'Come in', steps: [{ device: home.id('front-door', careful.who), op: 'open' }] }
    expect(statusAndCode(await careful.send('POST', undefined, opens))).toEqual([403, 'unlock_not_allowed'])
    const { id } = await careful.create({
      name: 'Come in',
      steps: [{ device: home.id('front-door', careful.who), op: 'close' }],
    })
    expect(statusAndCode(await careful.send('PATCH', id, { ...opens, ifRevision: 1 }))).toEqual([
      403,
      'unlock_not_allowed',
    ])
    expect(await careful.get(id)).toMatchObject({ revision: 1 })
  },
)
