import { describe, expect, it } from 'vitest'
import { ANNA, on, startedRules } from '#support/homes/rules-home.ts'

describe('scenes', () => {
  it('report their start and their end', async () => {
    const h = startedRules((it) => it.scene('evening', [on('a'), { delay: 5 }, on('b')]))
    const run = h.rules.scenes.run('evening', ANNA, 'person')!
    expect(run.runId).toMatch(/^run-/)
    expect(h.rules.scenes.running('evening')).toBe(true)
    await h.pass(6_000)
    expect(h.rules.scenes.running('evening')).toBe(false)
    expect(h.emittedEvents.filter((event) => event.kind === 'scene').map((event) => event.running)).toEqual([
      true,
      false,
    ])
    expect(h.control.sent[0]).toMatchObject({ priority: 'person', cause: { source: 'scene', by: ANNA } })
    expect(h.rules.scenes.run('nothing', ANNA, 'person')).toBeNull()
  })

  it('a newer run cancels the older one, and the scene keeps running', async () => {
    const h = startedRules((it) => it.scene('evening', [on('a'), { delay: 5 }, on('b')]))
    h.rules.scenes.run('evening', ANNA, 'person')
    await h.pass(3_000)
    h.rules.scenes.run('evening', ANNA, 'person')
    await h.pass(3_000)
    expect(h.devices).toEqual(['a', 'a'])
    await h.pass(3_000)
    expect(h.devices).toEqual(['a', 'a', 'b'])
    expect(h.emittedEvents.filter((event) => event.kind === 'scene').map((event) => event.running)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('report failures and block nothing else', async () => {
    const h = startedRules((it) => {
      it.scene('slow', [on('dead')])
      it.scene('quick', [on('b')])
    })
    h.control.failures.set('dead', { kind: 'no_answer' })
    h.control.delayMs = 5_000
    h.rules.scenes.run('slow', ANNA, 'person')
    await h.pass(1_000)
    h.rules.scenes.run('quick', ANNA, 'person')
    await h.pass(0)
    expect(h.devices).toEqual(['dead', 'b'])
    await h.pass(5_000)
    expect(h.log.filter((draft) => draft.kind === 'failed')).toMatchObject([
      { subject: { kind: 'steps', id: 'slow', devices: ['dead'] }, cause: { by: ANNA } },
    ])
  })
})
