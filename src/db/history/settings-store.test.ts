import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import type { UnitSchedule } from '../../home/model/device.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { openHistory } from './history-db.ts'

test('settings and unit schedules survive a restart as last confirmed', () => {
  const file = join(tempFolder(), 'history.db')
  const open = () => openHistory({ file, clock: new ManualClock(), random: systemRandom, log: silentLog })
  const schedule: UnitSchedule = {
    slot: 1,
    enabled: true,
    gang: null,
    days: [1, 5],
    time: '07:00',
    op: 'set_power',
    args: { on: true },
  }
  const before = open()
  before.settings.save('hall', { led: 1, fade: 2.5 }, 100)
  before.settings.save('hall', { led: 2 }, 200)
  before.settings.save('module:1', { led: 7 }, 150)
  before.settings.replace('bath', { a: 1, b: 2 }, 100)
  before.settings.replace('bath', { b: 3 }, 300)
  before.settings.save('gone', { a: 1 }, 100)
  before.settings.forget('gone')
  before.unitSchedules.save('hall', [schedule], 400)
  before.unitSchedules.save('gone', [schedule], 400)
  before.unitSchedules.forget('gone')
  before.close()
  const after = open()
  expect([...after.settings.load()]).toEqual([
    { device: 'bath', name: 'b', value: 3, asOf: 300 },
    { device: 'hall', name: 'fade', value: 2.5, asOf: 100 },
    { device: 'hall', name: 'led', value: 2, asOf: 200 },
    { device: 'module:1', name: 'led', value: 7, asOf: 150 },
  ])
  expect([...after.unitSchedules.load()]).toEqual([{ unit: 'hall', schedules: [schedule], asOf: 400 }])
  after.close()
})
