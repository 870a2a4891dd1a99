import { describe, expect, it } from 'vitest'
import { ANNA, off, on, startedRules } from '#support/homes/rules-home.ts'
import type { Cause } from '../../model/events.ts'
import { SELF_TRIGGERS_MAX } from './automation-engine.ts'

const HOUR = 3_600_000

describe('loops', () => {
  it('an automation that triggers itself over ten times a minute is paused with an entry, and an edit resumes it', async () => {
    const h = startedRules()
    h.echo()
    const id = h.automation({
      mode: 'restart',
      when: [{ device: 'lamp', state: 'on', is: true }],
      then: [off('lamp'), { delay: 0.1 }, on('lamp')],
    })
    h.power('lamp', false)
    h.power('lamp', true)
    await h.pass(HOUR)
    expect(h.devices.length).toBeLessThan(4 * SELF_TRIGGERS_MAX)
    expect(h.entries('run')).toHaveLength(SELF_TRIGGERS_MAX + 1)
    expect(h.rules.automations.get(id)).toMatchObject({ paused: true, revision: 1, enabled: true })
    expect(h.changes().filter((what) => what === 'paused: it kept setting itself off')).toHaveLength(1)
    const later = h.restarted()
    later.rules.start()
    expect(later.rules.automations.get(id)?.paused).toBe(true)
    later.rules.automations.update(id, { then: [on('other')] }, 1, ANNA, null)
    expect(later.rules.automations.get(id)?.paused).toBe(false)
    later.power('lamp', false)
    later.power('lamp', true)
    await later.pass(0)
    expect(later.devices).toEqual(['other'])
  })

  it('two automations that trigger each other are stopped as well', async () => {
    const h = startedRules((it) => {
      it.echo()
      it.automation({
        name: 'On',
        mode: 'queued',
        when: [{ device: 'lamp', state: 'on', is: false }],
        then: [{ delay: 0.1 }, on('lamp')],
      })
      it.automation({
        name: 'Off',
        mode: 'queued',
        when: [{ device: 'lamp', state: 'on', is: true }],
        then: [{ delay: 0.1 }, off('lamp')],
      })
    })
    h.power('lamp', false)
    h.power('lamp', true)
    await h.pass(HOUR)
    expect(h.devices.length).toBeLessThan(4 * SELF_TRIGGERS_MAX)
    expect(h.rules.automations.list().filter((rule) => rule.paused)).toHaveLength(1)
  })

  it('a slow loop continues, and its causes do not grow', async () => {
    const h = startedRules((it) => {
      it.echo()
      it.automation({
        mode: 'restart',
        when: [{ device: 'lamp', state: 'on', is: true }],
        then: [{ delay: 10 }, off('lamp'), { delay: 10 }, on('lamp')],
      })
    })
    h.power('lamp', false)
    h.power('lamp', true)
    await h.pass(HOUR)
    expect(h.devices.length).toBeGreaterThan(300)
    let depth = 0
    for (let link: Cause | undefined = h.control.sent.at(-1)!.cause; link; link = link.by) depth += 1
    expect(depth).toBe(2)
  })
})
