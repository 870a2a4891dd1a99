import { describe, expect } from 'vitest'
import { RulesHome } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { AutomationDraft, ScheduleDraft } from '../model/rules.ts'
import { STARTERS } from './starters.ts'

/** The draft of a starter with these things in its blanks. */
function draftOf(id: string, filled: Readonly<Record<string, string>> = {}): Partial<AutomationDraft & ScheduleDraft> {
  const { draft } = STARTERS.find((starter) => starter.id === id)!
  return JSON.parse(JSON.stringify(draft), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith('$') ? filled[value.slice(1)] : value,
  ) as Partial<AutomationDraft & ScheduleDraft>
}

describe('starters', () => {
  proves('automations.starters', 'low battery tells of each unit once', async () => {
    const home = new RulesHome()
    home.groups.set('any', ['cell', 'door'])
    home.automation(draftOf('low-battery'))
    home.rules.start()
    for (const battery of [80, 14, 13]) for (const unit of ['cell', 'door']) home.reading(unit, { battery })
    await home.pass(0)
    expect(home.messages.map(({ title, to }) => [title, to])).toEqual(
      ['cell', 'door'].map((unit) => [`${unit} (Kitchen): its battery has 14 % left`, 'administrators']),
    )
  })

  proves('automations.starters', 'lights go off ten minutes after the last person has left', async () => {
    const home = new RulesHome()
    home.groups.set('light', ['hall', 'stairs'])
    home.automation(draftOf('all-away'))
    home.automation(draftOf('somebody-leaves', { person: 'anna' }))
    home.rules.start()
    for (const person of ['anna', 'ben']) home.reports(person, 'home')
    home.reports('anna', 'away')
    await home.pass(HOUR_MS)
    expect([home.devices, home.messages.map(({ title }) => title)]).toEqual([[], ['Away from home since 12:01']])
    home.reports('ben', 'away')
    await home.pass(9 * MINUTE_MS)
    expect(home.devices).toEqual([])
    await home.pass(MINUTE_MS)
    expect(home.control.sent.map(({ device, op }) => [device, op])).toEqual(
      ['hall', 'stairs'].map((device) => [device, 'set_power']),
    )
  })

  proves(
    'automations.starters',
    'lights while on vacation come on in different minutes, also after restarts',
    async () => {
      const minutesOf = async (days: number, restarts: boolean): Promise<readonly string[]> => {
        let home = new RulesHome()
        for (const group of ['light', 'light kitchen']) home.groups.set(group, ['lamp'])
        home.mode('vacation')
        home.schedule(draftOf('vacation-lights', { room: 'kitchen' }))
        home.rules.start()
        const begins: string[] = []
        for (let day = 0; day < days; day += 1) {
          await home.pass(DAY_MS)
          const runs = home.log.filter(({ kind }) => kind === 'run')
          begins.push(...runs.map(({ at }) => new Date(at).toISOString().slice(5, 16)))
          expect(home.control.sent).toHaveLength(2 * runs.length)
          if (restarts) {
            home = home.restarted()
            home.rules.start()
          } else {
            home.log.length = 0
            home.control.sent.length = 0
          }
        }
        return begins
      }
      const begins = await minutesOf(14, false)
      expect(begins).toHaveLength(14)
      expect(new Set(begins.map((begin) => begin.slice(-2))).size).toBeGreaterThanOrEqual(10)
      expect(await minutesOf(5, true)).toEqual(begins.slice(0, 5))
    },
  )

  proves('automations.starters', 'a rule is off while guests are here', async () => {
    const home = new RulesHome()
    const id = home.automation({})
    home.automation(draftOf('guest-mode', { rule: `automation:${id}` }))
    home.rules.start()
    const isOn: boolean[] = []
    for (const mode of ['guest', 'home']) {
      home.mode(mode)
      await home.pass(0)
      isOn.push(home.rules.automations.get(id)!.enabled)
    }
    expect(isOn).toEqual([false, true])
  })
})
