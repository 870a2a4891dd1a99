// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { KNOB_VALUES, PEOPLE_SHOWN } from '../../src/exposure/knobs.ts'
import { hm } from '#support/gateway/cli.ts'
import { type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { visibleIds, previewedIds, type PreviewedThing } from '#support/gateway/visible-ids.ts'
import { times } from '#support/long.ts'

interface Preview {
  readonly integration: { readonly credentials: readonly { readonly link: string; readonly state: string }[] }
  readonly appears: readonly PreviewedThing[]
  readonly disappears: readonly PreviewedThing[]
  readonly changes: readonly { readonly what: string; readonly from: string; readonly to: string }[]
  readonly credentials: readonly { readonly link: string; readonly from: string; readonly to: string }[]
  readonly switchedOff?: readonly string[]
  readonly knobsOff?: readonly string[]
}

const PICKS = [
  'floor:first-floor',
  'room:hall',
  'unit:driveway-gate',
  'gang:entrance-panel:1',
  'scene:dinner',
  'mode',
  'calendar:bins',
  'room:garden',
]
const exposure = fc.oneof(fc.constant(['all']), fc.subarray(PICKS, { minLength: 1 }))
const settings = fc.record(
  {
    automations: fc.constantFrom(...KNOB_VALUES.automations),
    schedules: fc.constantFrom(...KNOB_VALUES.schedules),
    allow_unlock: fc.constantFrom(...KNOB_VALUES.allow_unlock),
    agent_access: fc.constantFrom(...KNOB_VALUES.agent_access),
    structural: fc.constantFrom(...KNOB_VALUES.structural),
  },
  { requiredKeys: [] },
)
const people = fc.constantFrom(...PEOPLE_SHOWN)
const change = fc.record({ expose: exposure, settings, people, enabled: fc.boolean() }, { requiredKeys: [] })

/** Local ids that the integration's programs see; null while it is disabled. */
async function seen(home: TestHome, who: TestIntegration): Promise<readonly string[] | null> {
  const { status } = await home.call({ method: 'GET', path: '/v1/integration', token: who.token })
  return status === 200 ? visibleIds(home, who) : null
}

/** Leaves out the times of use, because the test itself uses the key. */
const settingsOf = ({ integration: { credentials, ...rest } }: Preview): object => ({
  ...rest,
  credentials: credentials.map(({ link, state }) => `${link} ${state}`),
})

describe('the preview of a change', () => {
  verifies('administration.preview', 'predicts the effect of any change', { tags: ['long'] }, async (home) => {
    const { admin } = home.running
    await admin.call('POST', '/persons', { name: 'Anna' })
    const all = { automations: 'on', schedules: 'on', allow_unlock: 'on' }
    const who = await home.integrate({ settings: { ...all, agent_access: 'on' } })
    await admin.call('POST', '/agents', { integration: who.id, name: 'Claude', platform: 'Desk', session: false })
    const gate = { device: home.id('driveway-gate', who), op: 'open' }
    for (const then of [[gate], [power(home, 'hall-light', true, who)]])
      await new RuleCalls(home, 'schedule', who).create({ name: 'Theirs', at: { time: '04:00' }, then })
    const path = `/integrations/${who.id}`
    await fc.assert(
      fc.asyncProperty(change, change, async (first, then) => {
        // The exposure may be too small for a structural change.
        await admin.call('PATCH', path, { ...first, settings: { ...first.settings, structural: 'off' } })
        const [before, was] = [await seen(home, who), await admin.call<Preview>('GET', path)]
        const preview = await admin.call<Preview>('POST', `${path}/preview`, then).catch((error: Error) => error)
        expect(await seen(home, who)).toEqual(before)
        expect(settingsOf(await admin.call<Preview>('GET', path))).toEqual(settingsOf(was))
        const done = await admin.call<Preview>('PATCH', path, then).catch((error: Error) => error)
        if (preview instanceof Error || done instanceof Error) {
          expect(preview).toEqual(done)
          return
        }
        expect(settingsOf(preview)).toEqual(settingsOf(done))
        expect([preview.switchedOff, preview.knobsOff]).toEqual([done.switchedOff, done.knobsOff])
        const states = ({ integration: { credentials } }: Preview): string[] =>
          credentials.map(({ link, state }) => `${link} ${state}`)
        const [from, to] = [states(was), states(done)]
        expect(preview.credentials.map(({ link, to: state }) => `${link} ${state}`)).toEqual(
          to.filter((state) => !from.includes(state)),
        )
        const after = await seen(home, who)
        if (before === null || after === null) return
        expect(previewedIds(preview.appears)).toEqual(after.filter((id) => !before.includes(id)))
        expect(previewedIds(preview.disappears)).toEqual(before.filter((id) => !after.includes(id)))
      }),
      { numRuns: times(2, 300) },
    )
  })
})

verifies('administration.preview', 'is printed in plain words by hm, with --dry-run', async (home) => {
  const who = await home.integrate({
    name: 'Panel',
    expose: ['room:garden', 'room:hall'],
    settings: { allow_unlock: 'on', structural: 'on', schedules: 'on' },
  })
  const gate = { device: home.id('driveway-gate', who), op: 'open' }
  await new RuleCalls(home, 'schedule', who).create({ name: 'Out', at: { time: '07:00' }, then: [gate] })
  await new RuleCalls(home, 'scene', who).create({ name: 'Movie night', steps: [gate] })
  const run = async (...words: string[]): Promise<string> =>
    (await hm(home.running.dataDir, 'integration', ...words)).out
  const before = await run('show', who.id)
  expect(await run('set', who.id, 'allow_unlock=off', '--dry-run')).toBe(`No change was made. Effect of this change:
Changes
  allow_unlock  on -> off  It cannot open locks or gates.
Would be turned off, since they open a lock or gate: Out.
These scenes could not run, since they open a lock or gate: Movie night.
`)
  const expose = await run('expose', who.id, 'gang:entrance-panel:0', 'unit:house-meter', '--dry-run')
  // Other tests have schedules too; these ids are chance.
  expect(expose.replaceAll(/^ +schedule .* Theirs\n/gm, '').replace(/(scene|schedule)( +)\w{12}/g, '$1$2ID'))
    .toBe(`No change was made. Effect of this change:
Appears
  unit  house-meter  Base circuit meter
Disappears
  room          hall            Hall
  room          garden          Garden
  unit          hall-light      Hall light
  whole module  entrance-panel  Entrance panel
  unit          front-door      Front door
  unit          driveway-gate   Driveway gate
  unit          garden-weather  Garden weather
  scene         ID    Movie night
  schedule      ID    Out
Changes
  structural  on -> off  It cannot rename anything.
Would be turned off, since this exposure does not offer it: structural.
`)
  expect(await run('disable', who.id, '--dry-run')).toContain('All its requests are refused.')
  expect(await run('enable', who.id, '--dry-run')).toBe('No change was made; this change would have no effect.\n')
  expect(await run('show', who.id)).toBe(before)
})
