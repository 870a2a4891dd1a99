import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CAUSE_DEPTH_MAX, type Cause } from '../../model/events.ts'
import { causedBy } from './cascade-limits.ts'

const rule = (ref: string): Cause => ({ source: 'automation', name: ref, ref })
const motion: Cause = { source: 'unit', name: 'motion', ref: 'eye' }

function links(cause: Cause): string[] {
  return cause.by === undefined ? [cause.name] : [cause.name, ...links(cause.by)]
}

describe('chains of causes', () => {
  it('lead back to the first cause', () => {
    expect(links(causedBy(rule('a'), causedBy(rule('b'), motion)))).toEqual(['a', 'b', 'motion'])
    expect(causedBy(rule('a'), undefined)).toEqual(rule('a'))
  })

  it('do not grow in a loop, and keep their beginning', () => {
    let cause = causedBy(rule('a'), motion)
    for (let round = 0; round < 100; round += 1) cause = causedBy(rule('a'), causedBy(rule('b'), cause))
    expect(links(cause)).toEqual(['a', 'motion'])
  })

  it('distinguish an automation and a scene with the same id', () => {
    expect(links(causedBy(rule('x'), { source: 'scene', name: 'scene x', ref: 'x' }))).toEqual(['x', 'scene x'])
  })

  it('are never longer than their maximum, nor name one rule twice', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 60 }), (refs) => {
        let cause: Cause = motion
        for (const ref of refs) cause = causedBy(rule(`r${ref}`), cause)
        const names = links(cause)
        expect(names.length).toBeLessThanOrEqual(CAUSE_DEPTH_MAX)
        expect(new Set(names).size).toBe(names.length)
        expect(names[0]).toBe(`r${refs.at(-1)!}`)
      }),
    )
  })
})
