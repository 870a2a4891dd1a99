import { CoreDb } from '../../src/db/core/core-db.ts'
import { crashRules, journalAt, liveWithParent } from './crash-rules.ts'

/**
 * A gateway's rules in a process for the kill test. It runs the scene `parade` once on request, writes every sent step
 * and every log line to the journal, and continues at its start after the killed process.
 */
const [folder = '', begin = ''] = process.argv.slice(2)
const write = journalAt(`${folder}/journal`)
const journal = (line: string): void => {
  write(line)
  process.stdout.write(`${line}\n`)
}
/** The last delay outlasts the test: a late kill still comes in the middle of the run. */
const steps = [
  ...Array.from({ length: 60 }, (_, index) => ({
    device: `unit-${index}`,
    op: 'set_power' as const,
    args: { on: true },
  })).flatMap((step) => [step, { delay: 0.1 }]),
  { delay: 3_600 },
]

const { rules } = crashRules(new CoreDb(`${folder}/core.db`), journal, { scene: steps, speed: 2 })
rules.start()
if (begin === 'begin') rules.scenes.run('parade', { source: 'person', name: 'Anna' }, 'person')
journal('up')
liveWithParent()
