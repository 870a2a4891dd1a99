import { expect, test } from 'vitest'
import { join } from 'node:path'
import { tempHistory } from '#support/homes/history.ts'
import { homeInfo } from '#support/homes/house-content.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { CoreDb } from '../../db/core/core-db.ts'
import { SqliteTariff } from '../../db/core/single-rows.ts'
import { silentLog } from '../../lib/log.ts'
import { GATEWAY_CAUSE } from '../model/events.ts'
import { Energy } from './energy.ts'
import { Tariffs, loadTariffs } from './tariffs.ts'

test('a tariff is set, survives a restart, follows the time zone and is removed', async () => {
  const clock = new ManualClock(Date.UTC(2027, 0, 1))
  const history = tempHistory({ clock })
  const core = new CoreDb(join(tempFolder(), 'core.db'))
  const store = new SqliteTariff(core)
  const home = homeInfo({ timeZone: 'UTC' })
  let info = home
  const energy = new Energy({
    store: history.energy,
    clock,
    log: silentLog,
    timeZone: 'UTC',
    tariffs: loadTariffs(store),
  })
  const tariffs = new Tariffs({ store, work: core, energy, home: () => info, clock })
  const cost = () =>
    energy.answer({ devices: ['lamp'], range: { from: Date.UTC(2027, 0, 1), to: clock.now() + 1 }, standing: false })
      .cost
  energy.take('lamp', 0, clock.now())
  for (const counted of [1_000, 2_000]) {
    clock.advance(1_800_000)
    energy.take('lamp', counted, clock.now())
  }
  expect(cost()).toBeNull()

  expect(await tariffs.set({ name: 'A', rates: [] }, GATEWAY_CAUSE)).toEqual({
    ok: false,
    error: 'rates must hold a rate.',
  })
  const file = { name: 'A', rates: [{ price: 1, from: '00:00', to: '00:30' }, { price: 0.5 }] }
  const setting = tariffs.set(file, GATEWAY_CAUSE)
  clock.advance(100)
  expect((await setting).ok).toBe(true)
  expect(cost()).toBe(1.5)
  expect(tariffs.content()).toEqual(file)
  expect(loadTariffs(new SqliteTariff(core))?.tariffs[0]?.name).toBe('A')

  info = { ...home, timeZone: 'Asia/Kolkata' }
  tariffs.onHomeEvent({ kind: 'structure', cause: GATEWAY_CAUSE, at: clock.now() })
  clock.advance(100)
  expect(cost()).toBe(1)

  const clearing = tariffs.clear(GATEWAY_CAUSE)
  clock.advance(100)
  await clearing
  expect(cost()).toBeNull()
  expect(core.peek(10).map((row) => row.draft.what)).toEqual(['tariff set to A', 'tariff removed'])
  core.close()
})
