import { CoreDb } from '../../src/db/core/core-db.ts'
import type { Step } from '../../src/home/model/rules.ts'
import { automation } from '#support/homes/rules-home.ts'
import { crashRules, journalAt, liveWithParent } from './crash-rules.ts'

/**
 * Many homes in one process for the kill test, each with a run inside a repeat, branches and waits. The run performs
 * `unit-0` to `unit-3` in each round.
 */
const [folder = '', begin = '', homes = ''] = process.argv.slice(2)
const unit = (index: number): Step => ({ device: `unit-${index}`, op: 'set_power', args: { on: true } })
const NEVER = [{ device: 'ghost', reachable: false }] as const
const round: readonly Step[] = [
  unit(0),
  { if: NEVER, then: [unit(9)], else: [unit(1), { delay: 0.5, random: 1 }, unit(2)] },
  { wait: NEVER, timeout: 1 },
  unit(3),
]
const then: readonly Step[] = [{ repeat: round, every: 1, times: 100 }, { delay: 3_600 }]

for (let home = 0; home < Number(homes); home += 1) {
  const { rules, events } = crashRules(
    new CoreDb(`${folder}/core-${home}.db`),
    journalAt(`${folder}/journal-${home}`),
    {
      speed: 20,
    },
  )
  if (begin === 'begin')
    rules.automations.create(automation({ when: [{ device: 'eye', detection: 'motion' }], then }), null, {
      source: 'person',
      name: 'Anna',
    })
  rules.start()
  if (begin === 'begin') events.emit({ kind: 'detection', unit: 'eye', detection: 'motion', value: true, at: 0 })
}
process.stdout.write('up\n')
liveWithParent()
