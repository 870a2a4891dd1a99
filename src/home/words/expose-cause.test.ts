import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { viewOf } from '#support/homes/views.ts'
import { CAUSE_SOURCES, type Cause } from '../model/events.ts'
import { causeWords, exposeCause, exposeEntry } from './causes.ts'
import { OUTSIDE } from './values.ts'

const motion: Cause = { source: 'unit', name: 'motion', ref: 'sensor' }
const dusk: Cause = { source: 'automation', name: 'Dusk', ref: 'dusk', by: motion }
const evening: Cause = { source: 'scene', name: 'Evening', ref: 'evening', by: dusk }
const everything = viewOf({
  device: { sensor: 'Hall sensor' },
  automation: { dusk: 'Dusk' },
  scene: { evening: 'Evening' },
  schedule: {},
})

describe('a cause as an integration sees it', () => {
  test('a fully exposed chain is complete', () => {
    expect(exposeCause(evening, everything)).toEqual(evening)
    expect(causeWords(exposeCause(evening, everything), everything)).toBe(
      'scene Evening, run by automation Dusk, set off by motion at Hall sensor',
    )
  })

  test('it ends at its first hidden part, which is not named', () => {
    const scenesOnly = viewOf({ scene: { evening: 'Evening' }, device: { sensor: 'Hall sensor' } })
    expect(exposeCause(evening, scenesOnly)).toEqual({
      source: 'scene',
      name: 'Evening',
      ref: 'evening',
      by: { source: 'gateway', name: OUTSIDE },
    })
    expect(causeWords(exposeCause(evening, scenesOnly), scenesOnly)).toBe(
      'scene Evening, run by something outside this integration',
    )
    expect(exposeCause(evening, viewOf({}))).toEqual({ source: 'gateway', name: OUTSIDE })
  })

  test('all hidden parts look the same', () => {
    const hidden = fc.record({
      source: fc.constantFrom('automation', 'schedule', 'scene', 'unit'),
      name: fc.string(),
      ref: fc.string({ minLength: 1 }),
    })
    fc.assert(
      fc.property(hidden, (cause) => {
        expect(exposeCause(cause as Cause, viewOf({}))).toEqual({ source: 'gateway', name: OUTSIDE })
      }),
    )
  })

  test('no cause of any shape reveals the name of a hidden object', () => {
    const cause: fc.Arbitrary<Cause> = fc.letrec<{ cause: Cause }>((tie) => ({
      cause: fc
        .record(
          {
            source: fc.constantFrom(...CAUSE_SOURCES),
            name: fc.constant('name'),
            ref: fc.constantFrom('visible', 'secret'),
            integration: fc.constant('me'),
            link: fc.constant('link'),
            by: tie('cause'),
          },
          { requiredKeys: ['source', 'name', 'ref'] },
        )
        .map((one): Cause => ({
          ...one,
          name:
            one.ref === 'secret' && ['automation', 'schedule', 'scene', 'unit'].includes(one.source)
              ? 'secret name'
              : one.name,
        })),
    })).cause
    const view = viewOf({
      device: { visible: 'x' },
      automation: { visible: 'x' },
      scene: { visible: 'x' },
      schedule: { visible: 'x' },
    })
    fc.assert(
      fc.property(cause, (one) => {
        expect(JSON.stringify(exposeCause(one, view))).not.toContain('secret name')
      }),
    )
  })

  test('an integration sees which of its own credentials acted, and only the names of others', () => {
    const cause: Cause = { source: 'agent', name: 'Agent: Claude via claude.ai', integration: 'me', link: 'l1' }
    expect(exposeCause(cause, viewOf({}, 'me'))).toEqual({ source: 'agent', name: cause.name, link: 'l1' })
    expect(exposeCause(cause, viewOf({}, 'other'))).toEqual({ source: 'agent', name: cause.name })
  })

  test.each([
    [{ source: 'gateway', name: 'gateway' }, 'the gateway'],
    [{ source: 'person', name: 'Anna' }, 'Anna'],
    [{ source: 'unit', name: 'touched at the wall', ref: 'sensor' }, 'touched at the wall at Hall sensor'],
    [{ source: 'schedule', name: 'Morning' }, 'schedule Morning'],
  ] as const)('%o as a phrase', (cause, want) => {
    expect(causeWords(cause, everything)).toBe(want)
  })
})

test("only the facts about an entry's subject are visible", () => {
  const entry = {
    id: 'x',
    at: 1,
    kind: 'failed',
    subject: { kind: 'scene', id: 'evening' },
    what: 'ran, but not every step succeeded',
    cause: evening,
    data: { run: 'r', failures: [{ step: 1, device: 'secret' }], trigger: { device: 'secret' }, from: { on: false } },
  } as const
  expect(exposeEntry(entry, everything)).toEqual({
    id: 'x',
    at: 1,
    kind: 'failed',
    subject: entry.subject,
    what: entry.what,
    cause: evening,
    data: { from: { on: false } },
  })
})
