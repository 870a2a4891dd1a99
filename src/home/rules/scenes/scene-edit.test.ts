import { describe, expect, it } from 'vitest'
import type { Scene } from '../../model/house.ts'
import type { SceneStep } from '../../model/steps.ts'
import { editScene, makeScene, visibleRevision } from './scene-edit.ts'

const on = (device: string, power = true): SceneStep => ({ device, op: 'set_power', args: { on: power } })
const steps = (text: string): SceneStep[] =>
  text
    .split(' ')
    .map((word) => (/^\d/.test(word) ? { delay: Number(word) } : on(word.replace('-', ''), !word.startsWith('-'))))

/** The revision after an edit of all steps, as seen by a viewer of some devices. */
function seen(before: string, after: string, ...devices: string[]): number {
  const scene: Scene = makeScene(
    { name: 'Evening', steps: steps(before) },
    { id: 'evening', origin: null, position: 0 },
  )
  const edited = editScene(scene, { steps: steps(after) }, () => true, null)
  return edited.ok ? visibleRevision(edited.value, (device) => devices.includes(device)) : 0
}

describe('the visible revision', () => {
  it.each([
    ['a changed step', 'a b', 'a -b', 'b', 'a'],
    ['a new step', 'a b', 'a b c', 'c', 'a'],
    ['a removed step', 'a b c', 'a c', 'b', 'a'],
    ['two that changed places', 'a b c', 'a c b', 'b', 'a'],
    ['a step on the other side of a wait', 'a 5 b', 'a b 5', 'b', 'a'],
  ])('%s counts for its viewers, and not for others', (_what, before, after, concerned, other) => {
    expect(seen(before, after, concerned)).toBe(2)
    expect(seen(before, after, concerned, other)).toBe(2)
    expect(seen(before, after, other)).toBe(1)
  })

  it('a change of a common part counts for every viewer, and an edit without a change for none', () => {
    expect(seen('a 5 b', 'a 6 b', 'z')).toBe(2)
    expect(seen('a b', 'a b', 'z')).toBe(1)
    expect(seen('a b', 'a b', 'a')).toBe(1)
  })
})
