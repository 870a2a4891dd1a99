import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CAUSE_DEPTH_MAX, type Cause } from '../../model/events.ts'
import {
  answerableFor,
  authored,
  BEHIND_MAX,
  causedBy,
  credentialsBehind,
  factCause,
  havingRead,
} from './cause-chain.ts'

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

describe('the credentials behind a cause', () => {
  const phone: Cause = { source: 'integration', name: 'API: Phone', integration: 'phone', link: 'key' }
  const linkNames = (all: readonly { readonly link: string }[]): string[] => all.map(({ link }) => link).toSorted()

  it('stay when a long chain loses its beginning, and answer for openings only once a fact has changed', () => {
    let cause = phone
    for (let place = 0; place < 3 * CAUSE_DEPTH_MAX; place += 1) cause = causedBy(rule(`r${place}`), cause)
    expect(links(cause)).not.toContain(phone.name)
    expect(answerableFor(cause)).toEqual([])
    let later = factCause({ source: 'mode', name: 'Away', ref: 'away' }, cause)
    for (let place = 0; place < 3 * CAUSE_DEPTH_MAX; place += 1) later = causedBy(rule(`s${place}`), later)
    expect(answerableFor(later)).toEqual([{ integration: 'phone', link: 'key' }])
  })

  it('do not include an agent’s confirmation, which counts for one call', () => {
    const agent: Cause = { ...phone, source: 'agent', confirmedBy: 'Anna' }
    expect(answerableFor(factCause({ source: 'mode', name: 'Away' }, agent))).toEqual([
      { integration: 'phone', link: 'key' },
    ])
  })

  it('open nothing once there are too many to keep', () => {
    const many = Array.from({ length: BEHIND_MAX + 1 }, (_, place) => ({ ...phone, link: `key-${place}` }))
    expect(answerableFor(havingRead(rule('a'), many))).toEqual([{ integration: '', link: '' }])
  })

  it('are the same as without cuts, whatever happens', () => {
    const link = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const step = fc.record({
      ref: fc.nat({ max: 12 }),
      author: fc.option(link),
      does: fc.constantFrom('fact', 'read', 'run', 'run'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), link, (steps, caller) => {
        let cause: Cause = { ...phone, link: caller }
        const known = new Set([caller])
        let answering = new Set<string>()
        for (const { ref, author, does } of steps) {
          if (does === 'fact') {
            cause = factCause({ source: 'mode', name: 'm', ref: `m${ref % 3}` }, cause)
            answering = new Set(known)
          } else if (does === 'read' && author !== null) {
            cause = havingRead(cause, [{ ...phone, link: author }])
            answering.add(author)
            known.add(author)
          } else {
            cause = causedBy(
              authored(rule(`r${ref}`), author === null ? null : { integration: 'phone', link: author }),
              cause,
            )
            if (author !== null) known.add(author)
          }
        }
        expect(linkNames(answerableFor(cause))).toEqual([...answering].toSorted())
        expect(linkNames(credentialsBehind([cause]))).toEqual([...known].toSorted())
        expect(links(cause).length).toBeLessThanOrEqual(CAUSE_DEPTH_MAX)
      }),
    )
  })
})
