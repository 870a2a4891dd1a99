import { describe, expect, test } from 'vitest'
import { ANNA, automation, type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { MINUTE_MS } from '../../lib/durations.ts'
import { TELL_MS, TELLS_PER_HOME_MAX, TELLS_PER_RULE_MAX } from '../model/messages.ts'
import type { Step, Trigger } from '../model/rules.ts'

const HERS = { integration: 'i1', link: 'hers' }
const EYE: Trigger = { device: 'eye', detection: 'motion' }
const HELLO: Step = { tell: 'Hello', to: 'everyone' }

/** Texts of the sent messages. */
const titles = (home: RulesHome): string[] => home.messages.map(({ title }) => title)

describe('a message of a rule', () => {
  const PLACE = '{device} in {room}: {value} at {time}'
  const telling = (trigger: Trigger, text = PLACE): RulesHome =>
    startedRules((home) => {
      home.automation({ when: [trigger], then: [{ tell: text, to: 'administrators', urgency: 'high' }] })
    })

  test.each<[Trigger, (home: RulesHome) => void, string]>([
    [EYE, (home) => home.detect('eye'), 'eye in Kitchen: motion detected at 12:00'],
    [
      { device: 'washer', reading: 'power', below: 5 },
      (home) => {
        home.reading('washer', { power: 300 })
        home.reading('washer', { power: 4 })
      },
      'washer in Kitchen: 4 W at 12:00',
    ],
    [
      { device: 'lamp', state: 'on', is: true },
      (home) => {
        home.power('lamp', false)
        home.power('lamp', true)
      },
      'lamp in Kitchen: on at 12:00',
    ],
    [
      { device: 'freezer', reachable: false },
      (home) => home.contact('freezer', false),
      'freezer in Kitchen: stopped answering at 12:00',
    ],
  ])('is filled from %j', async (trigger, happen, title) => {
    const home = telling(trigger)
    happen(home)
    await home.pass(0)
    expect(home.messages).toEqual([
      {
        ...{ kind: 'tell', title, device: 'device' in trigger ? trigger.device : null },
        ...{ to: 'administrators', urgency: 'high', lasts: false },
        go: `/console/go/unit?device=${'device' in trigger ? trigger.device : ''}`,
        subjects: { devices: ['device' in trigger ? trigger.device : ''], rooms: ['kitchen'] },
        ref: expect.stringMatching(`^automation:[^ ]+ ${title}$`) as string,
      },
    ])
  })

  test.each<[Trigger, (home: RulesHome) => void, string]>([
    [{ mode: 'away' }, (home) => home.mode('away'), 'Away at 12:00'],
    [{ person: 'anna', is: 'away' }, (home) => home.reports('anna', 'away'), 'away at 12:00'],
  ])('has the value of %j', async (trigger, happen, title) => {
    const home = telling(trigger, '{value} at {time}')
    home.reports('anna', 'home')
    happen(home)
    await home.pass(0)
    expect(titles(home)).toEqual([title])
  })

  test('is filled from the device of a group that started the rule, which its readers must see', async () => {
    const home = startedRules((it) => {
      it.groups.set('any', ['cell', 'freezer'])
      const when: Trigger[] = [{ group: 'any', reading: 'battery', below: 15 }]
      const draft = automation({ when, then: [{ tell: PLACE, to: 'everyone' }] })
      it.rules.automations.create(draft, HERS, ANNA)
    })
    for (const battery of [80, 9]) home.reading('cell', { battery })
    await home.pass(0)
    expect(home.messages).toMatchObject([
      {
        title: 'cell in Kitchen: 9 % at 12:00',
        device: 'cell',
        subjects: { devices: ['cell'], targets: [{ group: 'any', author: HERS }], rooms: ['kitchen'] },
      },
    ])
  })

  test('of a schedule knows its time, and is for all that see what the rule names', async () => {
    const home = startedRules((it) => {
      it.schedule({
        at: { time: '12:30' },
        if: [{ device: 'lamp', reachable: true }],
        then: [{ scene: 's' }, { tell: '{time}: bins', to: 'everyone' }],
      })
      it.scene('s', [])
    })
    await home.pass(31 * MINUTE_MS)
    expect(home.messages).toMatchObject([
      {
        title: '12:30: bins',
        urgency: 'normal',
        device: null,
        go: null,
        subjects: { devices: ['lamp'], scenes: ['s'] },
      },
    ])
  })

  test('is cut to 200 characters', async () => {
    const device = 'd'.repeat(80)
    const home = telling({ device, reachable: false }, '{device} '.repeat(20))
    home.contact(device, false)
    await home.pass(0)
    expect(titles(home)[0]).toHaveLength(200)
    expect(titles(home)[0]).toMatch(/d…$/)
  })

  proves('automations.tell-restart', 'names the trigger from before a restart', async () => {
    const home = startedRules((it) => {
      it.automation({
        when: [{ device: 'freezer', reading: 'temperature', above: -10 }],
        then: [{ delay: 600 }, { tell: '{device} had {value} at {time}', to: 'everyone' }],
      })
    })
    home.reading('freezer', { temperature: -18 })
    home.reading('freezer', { temperature: -9.5 })
    await home.pass(MINUTE_MS)
    const next = home.restarted(2 * MINUTE_MS)
    next.rules.start()
    await next.pass(8 * MINUTE_MS)
    expect(titles(next)).toEqual(['freezer had -9.5 °C at 12:00'])
    const last = next.restarted()
    last.rules.start()
    await last.pass(MINUTE_MS)
    expect(last.messages).toEqual([])
  })
})

describe('rules of an integration', () => {
  proves('automations.tell-permission', 'send no message once they may not, and the run goes on', async () => {
    const home = startedRules()
    const draft = automation({ when: [EYE], then: [HELLO, { tell: 'Bye', to: 'home' }] })
    const made = home.rules.automations.create(draft, HERS, ANNA)
    if (!made.ok) throw new Error(made.error.kind)
    home.detect('eye')
    await home.pass(0)
    expect(titles(home)).toEqual(['Hello', 'Bye'])
    home.silenced.add(HERS.link)
    home.detect('eye')
    await home.pass(0)
    expect(titles(home)).toHaveLength(2)
    const failures = [0, 1].map((step) => ({ step, reason: 'may_not_tell' }))
    expect(home.log.at(-1)).toMatchObject({ kind: 'failed', data: { failures } })
    const [first] = home.rules.trials.steps([HELLO], { author: HERS, principals: [HERS] })
    expect(first?.obstacle).toEqual({ kind: 'may_not_tell' })
  })
})

describe('the limit of an hour', () => {
  const rules = (count: number): RulesHome =>
    startedRules((home) => {
      for (let number = 0; number < count; number += 1) home.automation({ when: [EYE], then: [HELLO] })
    })
  const trigger = async (home: RulesHome, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      home.detect('eye')
      await home.pass(1)
    }
  }

  proves('automations.tell-limit', 'is 60 of a rule; the next step fails, and one entry says so', async () => {
    const home = rules(1)
    await trigger(home, TELLS_PER_RULE_MAX + 3)
    expect(home.messages).toHaveLength(TELLS_PER_RULE_MAX)
    expect(home.entries('skipped')).toEqual(['sent no message: it has sent 60 within an hour'])
    expect(home.entries('failed')).toHaveLength(3)
    await home.pass(TELL_MS)
    await trigger(home, 1)
    expect(home.messages).toHaveLength(TELLS_PER_RULE_MAX + 1)
  })

  proves('automations.tell-limit', 'is 200 of a home, and leaves others their turn after it', async () => {
    const home = rules(5)
    await trigger(home, 50)
    expect(home.messages).toHaveLength(TELLS_PER_HOME_MAX)
    expect(home.entries('skipped')).toEqual(
      Array(5).fill('sent no message: the rules of the home have sent 200 within an hour'),
    )
    await home.pass(TELL_MS)
    await trigger(home, 1)
    expect(home.messages).toHaveLength(TELLS_PER_HOME_MAX + 5)
  })

  proves('automations.tell-limit', 'of a home holds no alarm back, and alarms have one of their own', async () => {
    const ALARM = { ...HELLO, urgency: 'alarm' } as const
    const home = rules(5)
    await trigger(home, 50)
    home.messages.length = 0
    const alarms = [1, 2, 3, 4].map(() => home.automation({ when: [EYE], then: [ALARM] }))
    await trigger(home, TELLS_PER_RULE_MAX)
    expect(home.messages.filter(({ urgency }) => urgency === 'alarm')).toHaveLength(TELLS_PER_HOME_MAX)
    expect(home.messages).toHaveLength(TELLS_PER_HOME_MAX)
    expect(alarms).toHaveLength(4)
  })
})
