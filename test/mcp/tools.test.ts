// @module-tag relay
// @module-tag repeated
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { ONE_BY_ONE_MAX, STATE_IDS_MAX } from '../../src/mcp/tools/house.ts'
import { agentToken, callTool, connectAgent, ERAS, homeForAgents, refusalOf } from '#support/gateway/agents.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf } from '#support/long.ts'
import { type Args, callsOf, EVENING, LOCAL } from '#support/gateway/tool-calls.ts'

let home: TestHome
beforeAll(async () => {
  home = await homeForAgents()
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

/** `npm test` uses only the newest revision; test/mcp/door.test.ts serves clients of the others. */
const ERAS_NOW = casesOf(ERAS, 2)

/** All moments in a response. */
function momentsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) =>
    ['at', 'asOf', 'from', 'to', 'nextTo', 'next', 'lastSeen'].includes(key) && typeof field !== 'object'
      ? [field]
      : momentsOf(field),
  )
}

describe.each(ERAS_NOW)('the official client of %s', (era) => {
  proves(
    ['agents.mcp-revisions', 'agents.mcp-tools', '1.7.agents'],
    'lists and calls every tool, and every answer fits its schema',
    async () => {
      await using client = await connectAgent(home, await agentToken(home), era)
      const { tools } = await client.listTools()
      expect(tools.length).toBeLessThanOrEqual(12)
      const untried = new Set(tools.map(({ name }) => name))
      const ajv = new Ajv2020()
      const validators = new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema ?? false)]))
      for (const [name, args, expected] of callsOf(home, era)) {
        const answer = await callTool(client, name, args)
        const where = `${name} ${JSON.stringify(args)}`
        expect(answer.isError, `${where}: ${answer.content[0]?.text}`).not.toBe(true)
        expect(answer.structuredContent, where).toMatchObject({
          house: 'Sonnenwinkel',
          timeZone: 'Europe/Berlin',
          ...expected,
        })
        expect(JSON.parse(answer.content[0]?.text ?? ''), where).toEqual(answer.structuredContent)
        const valid = validators.get(name)!
        expect(valid(answer.structuredContent), `${where}: ${ajv.errorsText(valid.errors)}`).toBe(true)
        untried.delete(name)
      }
      expect([...untried]).toEqual([])
    },
  )
})

describe.each(ERAS_NOW)('the official client of %s', (era) => {
  proves(
    'agents.mcp-tools',
    'gets a description of every tool and parameter, the answer’s schema, and a mark of reading tools',
    async () => {
      await using client = await connectAgent(home, await agentToken(home), era)
      const { tools } = await client.listTools()
      const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)
      expect(reading.toSorted()).toEqual([
        'activity',
        'energy',
        'explain',
        'house',
        'intents',
        'rules',
        'sensors',
        'state',
      ])
      for (const tool of tools) {
        expect(tool).toMatchObject({
          title: expect.any(String),
          description: expect.any(String),
          outputSchema: { type: 'object' },
          annotations: { openWorldHint: false },
        })
        for (const [name, parameter] of Object.entries(tool.inputSchema.properties ?? {})) {
          expect(parameter, `${tool.name} ${name}`).toMatchObject({ description: expect.stringMatching(/\.$/) })
          if (name === 'from' || name === 'to') expect(parameter).toMatchObject({ type: 'string', format: 'date-time' })
        }
      }
    },
  )

  proves(
    ['agents.mcp-tools', 'agents.mcp-refusal'],
    'gets refusals for an unknown class and for parameters that do not go together',
    async () => {
      await using client = await connectAgent(home, await agentToken(home), era)
      const device = home.id('living-climate')
      const reading = 'temperature'
      const calls: readonly (readonly [tool: string, args: Args, message: RegExp])[] = [
        ['house', { class: 'zz' }, /^class: must be one of light_switch, .*climate\.$/],
        ['sensors', { reading }, /^device: is missing/],
        ...Object.entries({ room: home.id('room:hall'), class: 'sensor', limit: 5, cursor: 'x' }).map(
          ([name, value]) => ['sensors', { device, reading, [name]: value }, new RegExp(`^${name}: `)] as const,
        ),
        ...Object.entries({
          room: home.id('room:hall'),
          class: 'sensor',
          from: '2026-01-01',
          to: '2026-01-02',
          points: 5,
        }).map(([name, value]) => ['sensors', { device, [name]: value }, new RegExp(`^${name}: `)] as const),
        ...Object.entries({ from: '2026-01-01', to: '2026-01-02', points: 5 }).map(
          ([name, value]) => ['sensors', { [name]: value }, new RegExp(`^${name}: `)] as const,
        ),
        ['save_rule', { kind: 'scene', ifRevision: 0, body: { name: 'New' } }, /^ifRevision: is only for edits/],
      ]
      for (const [name, args, message] of calls) {
        const { code, message: sentence } = refusalOf(await callTool(client, name, args))
        expect([name, args, code, sentence]).toEqual([name, args, 'validation', expect.stringMatching(message)])
      }
    },
  )

  proves('agents.mcp-tools', 'gets every row of a list once, page by page', async () => {
    await using client = await connectAgent(home, await agentToken(home), era)
    const all = (await callTool(client, 'house', { class: 'light_dimmer', limit: 200 })).structuredContent?.['devices']
    const paged: unknown[] = []
    let cursor: unknown
    do {
      const { structuredContent = {} } = await callTool(client, 'house', {
        class: 'light_dimmer',
        limit: 2,
        ...(typeof cursor === 'string' ? { cursor } : {}),
      })
      paged.push(...(structuredContent['devices'] as unknown[]))
      cursor = structuredContent['nextCursor']
    } while (typeof cursor === 'string')
    expect(paged).toEqual(all)
    expect(paged.length).toBeGreaterThan(2)
  })

  proves(
    ['agents.mcp-tools', 'agents.mcp-refusal', 'agents.mcp-resources'],
    'reads the home, the settings and a device as resources with the home’s name',
    async () => {
      await using client = await connectAgent(home, await agentToken(home), era)
      const { resources } = await client.listResources()
      expect(resources.map(({ uri }) => uri)).toEqual(['hm://house', 'hm://intents'])
      const read = async (uri: string): Promise<unknown> =>
        JSON.parse(
          (await client.readResource({ uri })).contents.map((content) => ('text' in content ? content.text : ''))[0] ??
            '',
        )
      const always = { house: 'Sonnenwinkel', timeZone: 'Europe/Berlin' }
      expect(await read('hm://house')).toMatchObject({ ...always, floors: expect.anything(), rooms: expect.anything() })
      expect(await read('hm://intents')).toMatchObject({ ...always, intents: expect.anything() })
      for (const id of ['front-door', 'kitchen-panel', 'kitchen-panel:1', 'scene:dinner'])
        expect(await read(`hm://devices/${home.id(id)}`)).toMatchObject({ ...always, class: expect.any(String) })
      expect(await read(`hm://devices/${home.id('front-door')}`)).toMatchObject({ class: 'lock' })
      await expect(read(`hm://devices/${home.id('invented')}`)).rejects.toMatchObject({ code: -32_602 })
    },
  )

  proves('agents.mcp-tools', 'gets the listed states of named devices, with the age first', async () => {
    await using client = await connectAgent(home, await agentToken(home), era)
    const answer = (await home.get('/v1/state')) as { devices: { id: string; state: object | null }[] }
    const known = answer.devices.filter(({ state }) => state !== null)
    // Values of sensors and texts of moments differ between the calls.
    const shapeOf = ({ state, ...device }: { readonly state: object | null }): object => ({
      ...device,
      state: Object.keys(state ?? {}).toSorted(),
    })
    for (const devices of [known.slice(0, ONE_BY_ONE_MAX), known.slice(0, STATE_IDS_MAX)]) {
      const { structuredContent } = await callTool(client, 'state', { ids: devices.map(({ id }) => id) })
      const named = (structuredContent as { devices: { id: string; state: object }[] }).devices
      expect(named.map(shapeOf)).toEqual(devices.map(shapeOf))
      for (const { state } of named) expect(Object.keys(state)[0]).toBe('asOf')
      expect(Object.keys(named[0] ?? {})).toEqual(Object.keys(devices[0] ?? {}))
    }
  })

  proves('agents.mcp-now', 'gets the present time with every answer about the home', async () => {
    await using client = await connectAgent(home, await agentToken(home), era)
    const { clock } = home.running
    for (const args of [{}, { limit: 2 }, { class: 'lock' }, { search: 'no such thing' }]) {
      const before = clock.now()
      const { structuredContent } = await callTool(client, 'house', args)
      expect(structuredContent).toMatchObject({
        now: expect.stringMatching(LOCAL) as string,
        timeZone: 'Europe/Berlin',
      })
      const now = Date.parse(String(structuredContent?.['now']))
      expect([before <= now, now <= clock.now()]).toEqual([true, true])
    }
  })

  proves('agents.mcp-times', 'reads and writes all moments in the home’s local time', async () => {
    await using client = await connectAgent(home, await agentToken(home), era)
    const light = home.id('hall-light')
    const calls: readonly (readonly [string, Args])[] = [
      ['state', { ids: [light, home.id('kitchen-panel')] }],
      ['control', { device: light, op: 'set_power', args: { on: false } }],
      ['intents', { device: light }],
      ['explain', { device: light }],
      ['activity', {}],
      ['sensors', {}],
      ['energy', { series: true }],
      ['save_rule', { kind: 'schedule', body: { ...EVENING, name: `At dusk ${era}`, then: [{ delay: 1 }] } }],
    ]
    for (const [name, args] of calls) {
      const answer = await callTool(client, name, args)
      expect(answer.structuredContent, name).toMatchObject({ timeZone: 'Europe/Berlin' })
      const moments = momentsOf(answer.structuredContent)
      expect(moments.length, name).toBeGreaterThan(0)
      for (const moment of moments) expect(moment, name).toMatch(LOCAL)
    }
    const { structuredContent } = await callTool(client, 'energy', { from: '2026-03-29', to: '2026-07-01' })
    expect(structuredContent).toMatchObject({
      from: '2026-03-29T00:00:00.000+01:00',
      to: '2026-07-01T00:00:00.000+02:00',
    })
    const { contents } = await client.readResource({ uri: `hm://devices/${light}` })
    expect(contents[0]).toMatchObject({
      text: expect.stringMatching(/"asOf":"[^"]+\+0[12]:00".*"timeZone":"Europe\/Berlin"/),
    })
  })

  proves('4.rule6.agent', 'gets the instruction to ask its user before it creates or changes a rule', async () => {
    await using client = await connectAgent(home, await agentToken(home), era)
    expect(client.getInstructions()).toMatch(
      /Before you create or change an automation, schedule or scene.*wait for their yes/,
    )
    const { messages } = await client.getPrompt({ name: 'home', arguments: { ask: 'Wake me at seven' } })
    expect(JSON.stringify(messages)).toMatch(/wait for their yes.*Wake me at seven/)
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'save_rule')?.description).toMatch(
      /First show your user what it will do .*and wait for their yes/,
    )
  })
})

proves('devices.reachable', 'the tool house marks exactly the devices that do not answer', async () => {
  const { house } = home.running.gateway.home
  const panel = house.units.get('kitchen-panel')!
  house.placeUnit({ ...panel, id: 'ghost', name: 'Ghost', address: 999 }, { source: 'person', name: 'Anna' })
  await using client = await connectAgent(home, await agentToken(home), ERAS[0])
  const listed = async (search: string): Promise<unknown> =>
    ((await callTool(client, 'house', { search })).structuredContent as { devices: object[] }).devices
  const silent = { reachable: false, lastSeen: null }
  expect(await listed('ghost')).toEqual([expect.objectContaining({ class: 'gang_module', ...silent })])
  expect(await listed('worktop')).toContainEqual(expect.objectContaining({ light: true }))
  expect(await listed('kitchen panel')).not.toContainEqual(expect.objectContaining({ reachable: expect.anything() }))
})
