import { expect } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { statusAndCode } from '#support/gateway/rule-calls.ts'
import { commandsOf } from '#support/gateway/await-home.ts'

const GATE = 91
const SENTENCE =
  'driveway-gate is gate on the bus and shutter in the house. It cannot be controlled, and its states are ignored, until the house says gate.'

/** Runs something at a home whose house file calls the gate a shutter. */
async function withShutter(home: TestHome, act: (warnings: readonly string[]) => Promise<void>): Promise<void> {
  const { admin } = home.running
  const { file } = await admin.call<{ file: string }>('GET', '/house/file')
  const wrong = file.replace('class: gate', 'class: shutter')
  expect(wrong).not.toBe(file)
  const put = (text: string) => admin.call<{ warnings: string[] }>('PUT', '/house/file', { file: text })
  try {
    await act((await put(wrong)).warnings)
  } finally {
    expect((await put(file)).warnings).toEqual([])
  }
}

verifies(
  'devices.other-class',
  'a unit of another class on the bus is not controlled, and its states are ignored',
  async (home) => {
    const may = await home.integrate({ settings: { allow_unlock: 'off', advanced_config: 'read_write' } })
    const control = (op: string) =>
      home.call({ method: 'POST', path: home.at('driveway-gate', '/control', may), body: { op }, token: may.token })
    await withShutter(home, async (warnings) => {
      expect(warnings).toEqual([SENTENCE.replaceAll('the house', 'the file')])
      const before = commandsOf(home, GATE)
      for (const op of ['open', 'close']) {
        const answer = await control(op)
        expect(statusAndCode(answer)).toEqual([422, 'validation'])
        expect(answer.text).toContain(
          'it is gate on the bus but shutter in the house; an administrator must correct that',
        )
      }
      expect(commandsOf(home, GATE)).toBe(before)
      const { live } = home.running.gateway.home
      expect(live.states.get('driveway-gate')).toBeUndefined()
      expect(live.keyAt({ address: GATE, gang: null })).toBeUndefined()
      expect(await home.get(home.at('driveway-gate', '', may), may.token)).toMatchObject({
        device: { class: 'shutter', state: null },
      })
      expect(live.settled).toBe(true)
      expect((await home.running.admin.call<{ units: object }>('GET', '/status')).units).toMatchObject({
        otherClass: [{ device: 'driveway-gate', house: 'shutter', bus: 'gate' }],
      })
      expect((await hm(home.running.dataDir, 'status')).out).toContain(`Needs attention:\n  ${SENTENCE}\n`)
    })
    // An entrance is recognised by the class on the bus and in the house.
    expect(statusAndCode(await control('open'))).toEqual([403, 'unlock_not_allowed'])
    expect((await control('close')).status).toBe(200)
  },
)
