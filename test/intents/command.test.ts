import { expect, test } from 'vitest'
import { requestsDuring } from '#support/gateway/requests-to-units.ts'
import { hm, hmJson } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { settingsRead } from '#support/homes/intent-house.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

test(
  'bin/hm intents DEVICE shows settings and own schedules as last confirmed, and sends no frame',
  { tags: ['long'] },
  async () => {
    const clock = new PassingClock()
    await using home = await TestHome.open('http', { clock })
    await settingsRead(home, clock)
    const { dataDir } = home.running
    expect(await requestsDuring(home, () => showsAsConfirmed(dataDir))).toBe(0)
  },
)

async function showsAsConfirmed(dataDir: string): Promise<void> {
  const { out } = await hm(dataDir, 'intents', 'entrance-panel:0')
  expect(out).toContain('Porch lamp  entrance-panel:0  HMHHX3')
  expect(out).toMatch(/off_after_no_motion +never +\d{4}-/)
  expect(out).toMatch(/key_sense +read-only +touch area active +\d{4}-/)
  expect(out).toContain('  0  18:30  on weekdays 1 2 3 4 5 6 7  gang 0  turn on')
  const json = await hmJson<{ device: string; intents: { intent: string; value: unknown }[] }>(
    dataDir,
    'intents',
    'bathroom-heater',
  )
  expect(json.intents.find(({ intent }) => intent === 'climate')?.value).toEqual({ heat: { on: 20.5, off: 22 } })
  expect((await hm(dataDir, 'intents', 'bathroom-heater')).out).toContain('heat on at 20.5 °C, off at 22 °C')
  expect((await hm(dataDir, 'intents', 'landing-sensor')).out).toContain('No settings of this device')
  expect(await hm(dataDir, 'intents', 'never-was')).toMatchObject({
    code: 1,
    err: expect.stringContaining('bin/hm house show'),
  })
}
