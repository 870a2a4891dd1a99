import { expect } from 'vitest'
import { EVERYTHING_ALLOWED, verifies } from '#support/gateway/harness.ts'

verifies(
  ['1.4.hidden', 'exposure.single-gangs'],
  'a module with one exposed gang has no visible settings, and accepts none',
  async (home) => {
    const { structural: _, ...settings } = EVERYTHING_ALLOWED
    const narrow = await home.integrate({ expose: ['gang:bedside-panel:0'], settings })
    const list = await home.get(home.at('bedside-panel', '/intents', narrow), narrow.token)
    expect(list).toMatchObject({ device: home.id('bedside-panel', narrow), intents: [] })
    const gang = (await home.get(home.at('bedside-panel:0', '/intents', narrow), narrow.token)) as { intents: object[] }
    expect(gang.intents.length).toBeGreaterThan(3)
    const invented = await home.call({
      method: 'PUT',
      path: home.at('bedside-panel', '/intents/invented', narrow),
      body: { value: 1 },
      token: narrow.token,
    })
    const own = await home.call({
      method: 'PUT',
      path: home.at('bedside-panel', '/intents/side_buttons', narrow),
      body: { value: { off: true } },
      token: narrow.token,
    })
    expect([own.status, own.text]).toEqual([404, invented.text])
  },
)
