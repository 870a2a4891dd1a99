import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SceneStep } from '../../model/steps.ts'
import { mergeVisibleSteps, viewScene } from './visible-steps.ts'

const step = (device: string, on = true): SceneStep => ({ device, op: 'set_power', args: { on } })
const visible = (s: SceneStep): boolean => !('device' in s) || s.device.startsWith('v')
const steps = (text: string): SceneStep[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (/^\d/.test(word) ? { delay: Number(word) } : step(word)))
const text = (list: readonly SceneStep[]): string =>
  list.map((s) => ('device' in s ? s.device : 'delay' in s ? String(s.delay) : '')).join(' ')
const merge = (stored: string, sent: string): string => text(mergeVisibleSteps(steps(stored), steps(sent), visible))

describe('editing the visible steps', () => {
  const cases: readonly [stored: string, sent: string, merged: string, why: string][] = [
    ['v1 h1 v2', 'v1 v2', 'v1 h1 v2', 'nothing changed'],
    ['v1 h1 v2 h2', 'v2', 'h1 v2 h2', 'the first was removed'],
    ['v1 h1 v2 h2', 'v1 v9', 'v1 h1 v9 h2', 'the second was replaced'],
    ['v1 h1', 'v1 v2', 'v1 h1 v2', 'one was added at the end'],
    ['v1 h1 v2', 'v1 v9 v2', 'v1 h1 v9 v2', 'one was added between'],
    ['h1 v1', 'v0 v1', 'h1 v0 v1', 'one was added before'],
    ['h1 h2', 'v1', 'h1 h2 v1', 'none was visible'],
    ['v1 h1 v2', '', 'h1', 'all were removed'],
    ['v1 5 h1 v2', 'v1 7 v2', 'v1 7 h1 v2', 'a wait was changed'],
    ['', 'v1 v2', 'v1 v2', 'there was nothing'],
  ]
  for (const [stored, sent, merged, why] of cases)
    it(`${why}: ${stored} + ${sent} = ${merged}`, () => expect(merge(stored, sent)).toBe(merged))

  const anyStep = fc.oneof(
    fc.constantFrom('v1', 'v2', 'v3', 'h1', 'h2', 'h3').map((d) => step(d)),
    fc.constantFrom(1, 2).map((delay) => ({ delay })),
  )
  const shownStep = anyStep.filter((s) => visible(s))

  it('shows exactly the sent steps, and keeps the hidden ones in their order', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), fc.array(shownStep, { maxLength: 12 }), (stored, sent) => {
        const merged = mergeVisibleSteps(stored, sent, visible)
        expect(merged.filter((s) => visible(s))).toEqual(sent)
        expect(merged.filter((s) => !visible(s))).toEqual(stored.filter((s) => !visible(s)))
      }),
    )
  })

  it('changes nothing if the visible steps come back unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), (stored) => {
        expect(
          mergeVisibleSteps(
            stored,
            stored.filter((s) => visible(s)),
            visible,
          ),
        ).toEqual(stored)
      }),
    )
  })

  it('does not depend on the content of hidden steps', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), fc.array(shownStep, { maxLength: 12 }), (stored, sent) => {
        const other = stored.map((s) => (visible(s) ? s : step('h9', false)))
        const shape = (list: readonly SceneStep[]): SceneStep[] => list.map((s) => (visible(s) ? s : step('h')))
        expect(shape(mergeVisibleSteps(other, sent, visible))).toEqual(shape(mergeVisibleSteps(stored, sent, visible)))
      }),
    )
  })
})

describe('the visible part of a scene', () => {
  it('names each visible member once and counts the hidden ones', () => {
    const view = viewScene(
      { steps: [step('v1'), { delay: 3 }, step('h1'), step('v1', false), step('h1', false), step('h2'), step('v2')] },
      (device) => device.startsWith('v'),
    )
    expect(view).toEqual({
      members: ['v1', 'v2'],
      hiddenMembers: 2,
      steps: [step('v1'), { delay: 3 }, step('v1', false), step('v2')],
    })
  })
})
