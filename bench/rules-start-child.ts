import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RulesHome as Home } from '#support/homes/rules-home.ts'
import type { AutomationDraft } from '../src/home/model/rules.ts'

/** `ROOT make|start FILE`: stores 2,000 automations, or prints the milliseconds of their start with the code of ROOT. */
const [root = '', work = '', file = ''] = process.argv.slice(2)
const RULES = 2_000
const UNITS = 300

const home = pathToFileURL(join(root, 'test/support/homes/rules-home.ts')).href
const { RulesHome } = (await import(home)) as { readonly RulesHome: new (parts: { readonly file: string }) => Home }

/** Rules of the forms that all versions have. */
function draftOf(index: number): Partial<AutomationDraft> {
  const device = (next: number): string => `unit-${(index + next) % UNITS}`
  return {
    name: `Rule ${index}`,
    when: [
      { device: device(0), state: 'on', is: true, for: 60 + (index % 60) },
      { device: device(1), state: 'on', is: false },
      { device: device(2), reading: 'temperature', above: 25 },
      { device: device(3), detection: 'motion' },
      { time: '07:00', days: [1, 2, 3, 4, 5] },
      { sun: 'sunset', offset: -10 },
    ],
    if: [
      { after: 'sunset', before: '06:00' },
      { device: device(4), state: 'on', is: false },
    ],
    then: [0, 1, 2, 3].map((step) => ({ device: device(step), op: 'set_power', args: { on: step % 2 === 0 } })),
  }
}

const begun = performance.now()
const started = new RulesHome({ file })
if (work === 'make') for (let index = 0; index < RULES; index += 1) started.automation(draftOf(index))
else started.rules.start()
process.stdout.write(String(performance.now() - begun))
process.exit(0)
