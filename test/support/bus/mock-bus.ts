import type { Reply, Request } from '../../../src/hmhc/message/messages.ts'
import type { HmhcBus } from '../../../src/hmhc/unit/hmhc-bus.ts'
import type { BusReport } from '../../../src/home/ports/unit-bus.ts'
import { testBus } from '#support/bus/hmhc-bus.ts'
import { MockAdapter } from '#support/bus/mock-adapter.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

export const LAMP = { address: 17, gang: null }
export const dimmer = (bri: number) => ({ class: 'light_dimmer', state: { on: bri > 0, bri, mode: 'auto' } }) as const
export const bri = (level: number) => ({ op: 'set_brightness', args: { bri: level } }) as const

/** Answers control requests for the lamp with the requested state. */
export const obedient = (message: Request): Reply | undefined =>
  message.name === 'control' && message.command.op === 'set_brightness'
    ? { name: 'control', result: 'done', ...dimmer(message.command.args.bri) }
    : undefined

interface MockBus {
  readonly clock: ManualClock
  readonly adapter: MockAdapter
  readonly bus: HmhcBus
  readonly reports: BusReport[]
}

/** A bus that has found four units behind a mock adapter: the lamp, a switch, a module of two gangs and a sensor. */
export async function startedMockBus(): Promise<MockBus> {
  const clock = new ManualClock()
  const adapter = new MockAdapter(clock)
  adapter.addUnit({ address: 17, class: 'light_dimmer', model: 'HMHH' }, { state: dimmer(30) })
  adapter.addUnit(
    { address: 18, class: 'light_switch', model: 'HMHHX1' },
    { state: { class: 'light_switch', state: { on: true, mode: 'auto' } } },
  )
  adapter.addUnit(
    {
      address: 300,
      class: 'gang_module',
      model: 'HMHHX2',
      gangs: [
        { gang: 0, class: 'switch_gang' },
        { gang: 1, class: 'shutter_gang' },
      ],
    },
    { gang: 0, state: { class: 'switch_gang', state: { on: false, mode: 'auto' } } },
    { gang: 1, state: { class: 'shutter_gang', state: { pos: 40, move: 'stopped', mode: 'auto' } } },
  )
  adapter.addUnit(
    { address: 70, class: 'sensor', model: 'HMSE' },
    { state: { class: 'sensor', state: { temperature: 21.5, motion: false } } },
  )
  const bus = testBus({ openPort: adapter.openPort, clock })
  const reports: BusReport[] = []
  bus.onReport((report) => reports.push(report))
  bus.start()
  await clock.advanceAsync(20)
  return { clock, adapter, bus, reports }
}
