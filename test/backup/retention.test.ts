import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { DAILY_KEPT, MONTHLY_KEPT, WEEKLY_KEPT } from '../../src/backup/keeping/retention.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { listBackups, openedGateway } from '#support/faults/backups.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

const DAY = 86_400_000
const YEAR_NIGHTS = 366

const nightly = (at: number, serial: string): string =>
  `home-${new Date(at).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replaceAll(':', '-')}Z-${serial}.hmb`

proves(
  'backup.retention',
  'after a year of nights the folder has the backups of 7 days, 4 weeks and 6 months',
  { tags: ['long'] },
  async () => {
    const clock = new PassingClock()
    const running = await openedGateway({ ...ONE_UNIT, clock })
    const { dataDir } = running
    const { serial } = running.gateway.stores
    const folder = join(dataDir, 'backups')
    await running.stop()
    mkdirSync(folder, { recursive: true })
    const last = clock.now() - 2 * DAY
    const nights = Array.from({ length: YEAR_NIGHTS }, (_, back) => nightly(last - back * DAY, serial))
    const otherFiles = [nightly(last, 'anotherhome1'), 'holidays.hmb']
    for (const name of [...nights, ...otherFiles]) writeFileSync(join(folder, name), '')

    const again = await openedGateway({ ...ONE_UNIT, clock, dataDir })
    // The missed night is made up for soon after the start.
    await clock.pass(120_000)
    const storedNames = (): string[] => readdirSync(folder).filter((name) => name.includes(`-${serial}`))
    await expect.poll(() => storedNames().length).toBe(DAILY_KEPT + WEEKLY_KEPT + MONTHLY_KEPT)
    expect(storedNames()).toHaveLength(17)
    expect(storedNames().filter((name) => !nights.includes(name))).toHaveLength(1)
    // The six nights before it stay too; files of other homes are untouched.
    for (const name of [...nights.slice(0, DAILY_KEPT - 1), ...otherFiles])
      expect(existsSync(join(folder, name))).toBe(true)
    expect((await listBackups(again)).state.error).toBeNull()
  },
)
