import { describe, expect, it } from 'vitest'
import { off, on, type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { QUEUE_MAX } from './run-manager.ts'

const MINUTE = 60_000

describe('modes', () => {
  const slow = (mode: 'single' | 'restart' | 'queued'): RulesHome =>
    startedRules((it) =>
      it.automation({ mode, when: [{ device: 'eye', detection: 'motion' }], then: [on('a'), { delay: 10 }, on('b')] }),
    )

  it('single ignores a trigger while it runs, and records it once for each run', async () => {
    const h = slow('single')
    for (let second = 0; second < 5; second += 1) {
      h.detect('eye')
      await h.pass(1_000)
    }
    await h.pass(MINUTE)
    expect(h.devices).toEqual(['a', 'b'])
    expect(h.entries('skipped')).toEqual(['did not run: it was still running'])
  })

  it('restart starts again', async () => {
    const h = slow('restart')
    h.detect('eye')
    await h.pass(9_000)
    h.detect('eye')
    await h.pass(9_000)
    expect(h.devices).toEqual(['a', 'a'])
    await h.pass(1_000)
    expect(h.devices).toEqual(['a', 'a', 'b'])
    expect(h.core.db.prepare('SELECT count(*) AS n FROM rule_runs').get()).toEqual({ n: 0 })
  })

  it('queued runs one after the other, within the limit of its queue', async () => {
    const h = slow('queued')
    for (let count = 0; count < QUEUE_MAX + 3; count += 1) h.detect('eye')
    await h.pass(10 * MINUTE)
    expect(h.devices).toEqual(Array.from({ length: QUEUE_MAX + 1 }, () => ['a', 'b']).flat())
    expect(h.entries('skipped')).toEqual(['did not run: too many runs wait for their turn'])
  })
})

describe('steps', () => {
  it('neighbours are sent together; a step after a wait or for the same device is sent alone', async () => {
    const h = startedRules((it) =>
      it.schedule({ at: { time: '12:01' }, then: [on('a'), on('b'), off('a'), { delay: 1 }, on('c'), on('d')] }),
    )
    await h.pass(2 * MINUTE)
    expect(h.control.sent.map((sent) => `${sent.device}${sent.group}`)).toEqual(['a0', 'b0', 'a1', 'c2', 'd2'])
    expect(h.control.sent[3]!.at - h.control.sent[2]!.at).toBe(1_000)
    expect(h.control.sent.every((sent) => sent.priority === 'automation')).toBe(true)
  })

  it('a silent or missing unit does not stop the rest, and is reported', async () => {
    const h = startedRules((it) =>
      it.schedule({
        at: { time: '12:01' },
        then: [on('a'), on('dead'), { delay: 1 }, on('gone'), { scene: 'lost' }, on('b')],
      }),
    )
    h.control.failures.set('dead', { kind: 'no_answer' })
    h.control.failures.set('gone', { kind: 'not_there' })
    await h.pass(2 * MINUTE)
    expect(h.devices).toEqual(['a', 'dead', 'gone', 'b'])
    expect(h.log.filter((draft) => draft.kind === 'failed')).toMatchObject([
      {
        subject: { kind: 'schedule' },
        data: {
          failures: [
            { step: 1, device: 'dead', reason: 'no_answer' },
            { step: 3, device: 'gone', reason: 'not_there' },
            { step: 4, scene: 'lost', reason: 'no_scene' },
          ],
        },
      },
    ])
  })

  it('a scene runs to its first wait before the next step', async () => {
    const h = startedRules((it) => {
      it.scene('evening', [on('s1'), { delay: 300 }, on('s2')])
      it.schedule({ at: { time: '12:01' }, then: [{ scene: 'evening' }, on('after')] })
    })
    h.control.delayMs = 500
    await h.pass(2 * MINUTE)
    expect(h.devices).toEqual(['s1', 'after'])
    await h.pass(5 * MINUTE)
    expect(h.devices).toEqual(['s1', 'after', 's2'])
  })

  it('a light names its causes: a scene, by an automation, by a detection', async () => {
    const h = startedRules((it) => {
      it.scene('evening', [on('lamp')])
      it.automation({ name: 'Welcome', when: [{ device: 'eye', detection: 'motion' }], then: [{ scene: 'evening' }] })
    })
    h.detect('eye')
    await h.pass(0)
    expect(h.control.sent[0]!.cause).toMatchObject({
      source: 'scene',
      name: 'evening',
      by: { source: 'automation', name: 'Welcome', by: { source: 'unit', name: 'motion', ref: 'eye' } },
    })
  })
})
