import { expect, test } from 'vitest'
import { ANNA, automation, on, RulesHome, schedule } from '#support/homes/rules-home.ts'

const AUTHOR = { integration: 'panel', link: 'key' }
const OPEN = { device: 'door', op: 'open' } as const
const LAPSED =
  'Rules were turned off: their author may no longer open a lock or gate, or was deleted with the devices of their groups.'

test('a start switches off rules whose author lost the permission to open, once', () => {
  const home = new RulesHome()
  home.rules.automations.create(automation({ name: 'Opens', then: [OPEN] }), AUTHOR, ANNA)
  home.rules.automations.create(automation({ name: 'Lights', then: [on('lamp')] }), AUTHOR, ANNA)
  home.rules.automations.create(automation({ name: 'Ours', then: [OPEN] }), null, ANNA)
  home.rules.schedules.create(schedule({ name: 'Opens at seven', then: [OPEN] }), AUTHOR, ANNA)
  home.rules.start()
  expect(home.lines.lines).toEqual([])
  home.refusals.set(AUTHOR.link, 'credential_ended')
  const again = home.restarted()
  again.rules.start()
  expect(again.lines.lines).toEqual([
    { level: 'warn', fields: { rules: ['Opens', 'Opens at seven'] }, sentence: LAPSED },
  ])
  const later = again.restarted()
  later.rules.start()
  expect(later.rules.automations.list().map(({ enabled }) => enabled)).toEqual([false, true, true])
  expect(later.rules.schedules.list().map(({ enabled }) => enabled)).toEqual([false])
  expect(later.lines.sentences('warn')).toEqual([LAPSED])
})
