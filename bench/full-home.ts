import type { PastParts } from '../src/demo/past.ts'
import type { NewHome } from '../src/gateway/options.ts'
import type { HouseContent } from '../src/home/ports/house-store.ts'
import type { RuleFile } from '../src/home/rules/rule-file.ts'
import { DAY_MS } from '../src/lib/durations.ts'

const AUTOMATIONS = 600
const WATCHING = 1_000
const TRIGGERS = 20
const RULE_STEPS = 4
const READINGS = 100_000
const HISTORY_MS = 30 * DAY_MS
const AT_ONCE = 5_000

type Automation = RuleFile['automations'][number]

/** A home after years of use: hundreds of long automations, and a month of readings. */
export function fullHome(small: HouseContent, recorded: () => void): Pick<NewHome, 'rules' | 'past'> {
  const long = (device: (index: number) => string) => ({
    enabled: false,
    when: Array.from({ length: TRIGGERS }, (_, trigger) => ({ ...neverSet(device(trigger)), for: 60 + trigger })),
    if: [{ after: '03:00', before: '03:01' }],
  })
  return {
    rules: () => automations(small, AUTOMATIONS, long),
    past: async (parts) => {
      await readings(parts, dimmersOf(small)[0] ?? '')
      recorded()
    },
  }
}

/** A thousand automations that watch the home's dimmers in turn. No level triggers them. */
export function watchingRules(small: HouseContent): RuleFile {
  return automations(small, WATCHING, (device) => ({ enabled: true, when: [neverSet(device(0))], if: [] }))
}

const neverSet = (device: string) => ({ device, state: 'bri' as const, above: 99 })

function dimmersOf({ units }: HouseContent): readonly string[] {
  return units.filter((unit) => unit.class === 'light_dimmer').map(({ id }) => id)
}

/** @param fieldsFor makes the varying fields from the dimmers in turn */
function automations(
  small: HouseContent,
  length: number,
  fieldsFor: (device: (index: number) => string) => Pick<Automation, 'enabled' | 'when' | 'if'>,
): RuleFile {
  const dimmers = dimmersOf(small)
  const automation = (index: number): Automation => {
    const device = (next: number): string => dimmers[(index + next) % dimmers.length] ?? ''
    return {
      id: `automation-${index}`,
      name: `automation ${index}`,
      revision: 1,
      origin: null,
      mode: 'single',
      then: Array.from({ length: RULE_STEPS }, (_, step) => ({
        device: device(step),
        op: 'set_brightness',
        args: { bri: 50 },
      })),
      ...fieldsFor(device),
    }
  }
  return { automations: Array.from({ length }, (_, index) => automation(index)), schedules: [] }
}

async function readings({ clock, readings, activity }: PastParts, device: string): Promise<void> {
  const from = clock.now() - HISTORY_MS
  for (let row = 0; row < READINGS; row += 1) {
    readings.record(device, 'temperature', from + Math.floor((HISTORY_MS * row) / READINGS), 20 + (row % 7))
    if (row % AT_ONCE === 0) await activity.committed()
  }
  await activity.committed()
}
