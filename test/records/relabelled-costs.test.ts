import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { type TestHome, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { DAY_MS } from '../../src/lib/durations.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'http' })
const run = (home: TestHome, ...args: readonly string[]) => hm(home.running.dataDir, ...args)

function write(home: TestHome, name: string, text: string): string {
  const file = join(home.running.dataDir, name)
  writeFileSync(file, text)
  return file
}

async function currencyOf(home: TestHome): Promise<unknown> {
  return (await home.get('/v1/energy?period=month'))['currency']
}

verifies('energy.currency', 'costs get another currency only after a confirmation', async (home) => {
  const { energy } = home.running.gateway.home
  const { admin } = home.running
  // Without a tariff there is no amount that another currency could rename.
  expect(await run(home, 'home', 'set', '--currency', 'CHF')).toMatchObject({ code: 0 })
  expect(await run(home, 'home', 'set', '--currency', 'EUR')).toMatchObject({ code: 0 })
  energy.addPast('study-desk', 100_000_000, clock.now() - 3 * DAY_MS, clock.now() - 2 * DAY_MS)
  const tariff = write(home, 'tariff.json', JSON.stringify({ name: 'Flat', rates: [{ price: 0.3 }] }))
  await Promise.all([run(home, 'tariff', 'set', tariff), clock.pass(5_000)])

  const refused = await run(home, 'home', 'set', '--currency', 'USD')
  expect(refused.code).toBe(1)
  expect(refused.err).toMatch(
    /the prices of the tariff, which are in EUR, and 30\.\d\d EUR of costs since \d{4}-\d\d, would then be shown in USD/,
  )
  expect(refused.err).toContain('--relabel-costs')
  await expect(admin.call('PATCH', '/home', { currency: 'USD', name: 'Other' })).rejects.toThrow('relabelCosts')
  expect(await currencyOf(home)).toBe('EUR')
  // An unchanged currency and other changes need no confirmation.
  expect(await run(home, 'home', 'set', '--currency', 'EUR', '--latitude', '52')).toMatchObject({ code: 0 })

  const { file } = await admin.call<{ file: string }>('GET', '/house/file')
  const other = write(home, 'house.yaml', file.replace('currency: EUR', 'currency: USD'))
  expect(await run(home, 'house', 'import', other)).toMatchObject({ code: 1, err: refused.err })
  expect((await run(home, 'house', 'import', other, '--dry-run')).out).toContain('would then be shown in USD')
  expect(await currencyOf(home)).toBe('EUR')
  expect(await run(home, 'house', 'import', other, '--relabel-costs')).toMatchObject({ code: 0 })
  expect(await currencyOf(home)).toBe('USD')

  // Days with final prices are costs too, even without a tariff.
  expect(await run(home, 'home', 'set', '--currency', 'EUR', '--relabel-costs')).toMatchObject({ code: 0 })
  const { entries } = await home.get('/v1/activity?kind=edited')
  expect(entries).toContainEqual(
    expect.objectContaining({ what: 'currency changed from USD to EUR, no amount converted' }),
  )
})

verifies(
  'administration.leaving',
  'the dry run of an import names the devices with a past that would leave the house',
  async (home) => {
    const { energy } = home.running.gateway.home
    energy.addPast('shower-heater', 7_000_000, clock.now() - 3 * DAY_MS, clock.now() - 2 * DAY_MS)
    const { file } = await home.running.admin.call<{ file: string }>('GET', '/house/file')
    const parts = file.split(/\n(?= {2}- )/)
    const left = parts.filter((part) => !/^ {2}- (id: |\{ id: )?shower-heater\b/.test(part))
    expect(left).toHaveLength(parts.length - 1)
    const answer = await home.running.admin.call<{ leaving: object[] }>('PUT', '/house/file', {
      file: left.join('\n'),
      check: true,
    })
    expect(answer.leaving).toMatchObject([{ id: 'shower-heater', name: 'Shower room heater' }])
    const dry = await run(home, 'house', 'import', write(home, 'less.yaml', left.join('\n')), '--dry-run')
    expect(dry.out).toMatch(/Removed with recorded energy\n +shower-heater +Shower room heater +7 kWh/)
    expect(dry.out).toContain('Other integrations no longer see anything of them')
  },
)
