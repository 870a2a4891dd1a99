import { describe, expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import type { Condition, Step, Trigger } from '../model/rules.ts'

const MINUTE = 60_000

interface Draft {
  readonly when?: readonly Trigger[]
  readonly if?: readonly Condition[]
  readonly then?: readonly Step[]
}

/** A home with a named group whose members the phone chose, and an automation. */
function homeWith(draft: Draft, mayOpen: boolean): RulesHome {
  return startedRules((home) => {
    home.groups.set('own', ['hall'])
    home.groupAuthors.set('own', PHONE)
    if (!mayOpen) home.refusals.set('phone-key', 'unlock_off')
    home.automation({ then: [OPEN], mode: 'restart', ...draft })
  })
}

const OPEN = { device: 'door', op: 'open' } as const
const PHONE = { integration: 'phone', link: 'phone-key' }
const LIT = { group: 'own', state: 'on', is: true } as const

describe('a group whose members a caller chose who may not open', () => {
  async function openedBy(draft: Draft, mayOpen: boolean): Promise<readonly string[]> {
    const home = homeWith(draft, mayOpen)
    home.automation({ when: [{ mode: 'away' }], then: [OPEN] })
    home.power('hall', false)
    home.power('hall', true)
    home.detect('eye')
    await home.pass(2 * MINUTE)
    return home.devices
  }

  for (const [name, draft] of Object.entries<Draft>({
    'a trigger': { when: [LIT] },
    'a trigger after a while': { when: [{ ...LIT, for: 60 }] },
    'a condition': { when: [{ device: 'eye', detection: 'motion' }], if: [{ not: { ...LIT, is: false, of: 'all' } }] },
    'a decision': {
      when: [{ device: 'eye', detection: 'motion' }],
      then: [{ if: [{ ...LIT, of: 'any' }], then: [{ delay: 5 }, OPEN] }],
    },
    'a mode that a rule sets': { when: [LIT], then: [{ mode: 'away' }] },
  }))
    proves('automations.group-opens-nothing', `opens nothing by ${name}`, async () => {
      expect(await openedBy(draft, false)).toEqual([])
      expect(await openedBy(draft, true)).toEqual(['door'])
    })

  proves('automations.group-opens-nothing', 'is refused in the dry run too', () => {
    const home = homeWith({ when: [LIT] }, false)
    const [rule] = home.rules.automations.list()
    expect(
      home.rules.trials.steps(rule!.then, { author: null, principals: home.rules.trials.principalsOf(rule!) }),
    ).toMatchObject([{ obstacle: { kind: 'not_allowed' } }])
  })
})
