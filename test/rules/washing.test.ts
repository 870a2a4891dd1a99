import { expect } from 'vitest'
import { STARTERS } from '../../src/home/rules/starters.ts'
import type { AutomationDraft } from '../../src/home/model/rules.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/durations.ts'
import { SimHouse } from '#support/bus/sim-house.ts'
import { tempHistory } from '#support/homes/history.ts'
import { RulesHome } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'

const STEP_MS = 10_000
const WASHES = 3
/** Restarts during each wash and its two hours, in minutes, and those of the idle days. */
const RESTARTS = [25, 70, 110] as const
const IDLE_DAYS = 7

const draft = JSON.parse(
  JSON.stringify(STARTERS.find(({ id }) => id === 'washing-done')!.draft).replaceAll('$machine', 'Washing machine'),
) as Partial<AutomationDraft>

proves(
  ['automations.starters', 'automations.power'],
  'the starter for a washing machine tells once for each wash, over restarts, and nothing on idle days',
  async () => {
    let home = new RulesHome({ history: tempHistory() })
    const id = home.automation(draft)
    home.rules.start()
    const sim = new SimHouse([
      { model: 'HMPH', load: { kind: 'appliance', watts: 2_000, idleWatts: 1.5, programme: 'laundry' } },
    ])
    sim.house.onReport((_unit, report) => {
      if (report.kind === 'energy') home.reading('Washing machine', { power: report.powerW, energy: report.energyWh })
    })
    const titles: string[] = []
    let restarts = 0
    const restart = (): void => {
      titles.push(...home.messages.map(({ title }) => title))
      home = home.restarted(STEP_MS)
      home.rules.start()
      restarts += 1
    }
    const pass = async (ms: number, step = STEP_MS): Promise<void> => {
      for (let passed = 0; passed < ms; passed += step) {
        sim.pass(step)
        await home.pass(step)
      }
    }
    const all = (): number => titles.length + home.messages.length
    for (let wash = 1; wash <= WASHES; wash += 1) {
      sim.house.startAppliance(1)
      for (const [index, minute] of RESTARTS.entries()) {
        await pass((minute - (RESTARTS[index - 1] ?? 0)) * MINUTE_MS)
        restart()
      }
      await pass(20 * MINUTE_MS)
      expect(all()).toBe(wash)
    }
    for (let day = 0; day < IDLE_DAYS; day += 1) {
      await pass(DAY_MS, HOUR_MS)
      restart()
    }
    console.info(`${all()} messages for ${WASHES} washes, over ${IDLE_DAYS} idle days and ${restarts} restarts`)
    expect(all()).toBe(WASHES)
    expect(new Set(titles)).toEqual(new Set(['Washing machine has finished']))
    expect(home.rules.automations.get(id)?.revision).toBe(1)
  },
)
