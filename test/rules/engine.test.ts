import { expect } from 'vitest'
import { SimHouse } from '#support/bus/sim-house.ts'
import { off, on, RulesHome } from '#support/homes/rules-home.ts'
import { proves } from '#support/gateway/verifies.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

function started(at: string, timeZone: string, build: (home: RulesHome) => void): RulesHome {
  const home = new RulesHome({ at })
  home.info = { ...home.info, timeZone }
  build(home)
  home.rules.start()
  return home
}

proves(
  'automations.modes',
  'while it runs: single ignores a second trigger, restart starts again, queued runs again afterwards',
  async () => {
    const steps = [on('a'), { delay: 10 }, on('b')]
    const expected = {
      single: ['a 0', 'b 10'],
      restart: ['a 0', 'a 4', 'b 14'],
      queued: ['a 0', 'b 10', 'a 10', 'b 20'],
    } as const
    for (const mode of ['single', 'restart', 'queued'] as const) {
      const home = started('2027-05-03T12:00:00+02:00', 'Europe/Berlin', (it) =>
        it.automation({ mode, when: [{ device: 'eye', detection: 'motion' }], then: steps }),
      )
      const start = home.clock.now()
      home.detect('eye')
      await home.pass(4 * SECOND)
      home.detect('eye')
      await home.pass(MINUTE)
      expect(
        home.control.sent.map(({ device, at }) => `${device} ${(at - start) / SECOND}`),
        mode,
      ).toEqual(expected[mode])
    }
  },
)

proves(
  'automations.daylight-saving',
  'a skipped time runs at the next valid minute, a repeated one runs once',
  async () => {
    const cases = [
      // Clocks go from 02:00 to 03:00, and in autumn from 03:00 back to 02:00.
      ['Europe/Berlin', '2027-03-27T12:00:00Z', '02:30', ['2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z']],
      ['Europe/Berlin', '2027-10-30T12:00:00Z', '02:30', ['2027-10-31T00:30:00.000Z', '2027-11-01T01:30:00.000Z']],
      ['America/New_York', '2027-03-13T18:00:00Z', '02:15', ['2027-03-14T07:00:00.000Z', '2027-03-15T06:15:00.000Z']],
      // Here the step is half an hour.
      [
        'Australia/Lord_Howe',
        '2027-10-02T00:00:00Z',
        '02:10',
        ['2027-10-02T15:30:00.000Z', '2027-10-03T15:10:00.000Z'],
      ],
      ['UTC', '2027-03-27T12:00:00Z', '02:30', ['2027-03-28T02:30:00.000Z', '2027-03-29T02:30:00.000Z']],
    ] as const
    for (const [zone, from, time, runs] of cases) {
      const home = started(from, zone, (it) => it.schedule({ at: { time } }))
      await home.pass(2 * DAY)
      expect(
        home.control.sent.map(({ at }) => new Date(at).toISOString()),
        `${zone} ${time}`,
      ).toEqual(runs)
    }
  },
)

proves(
  'automations.missed',
  'a run missed by up to five minutes runs late, an older one is logged as missed',
  async () => {
    for (const [awayMinutes, devices, skipped] of [
      [9, ['lamp'], 0],
      [12, [], 1],
    ] as const) {
      const home = started('2027-05-03T12:00:00+02:00', 'Europe/Berlin', (it) => it.schedule({ at: { time: '12:05' } }))
      await home.pass(MINUTE)
      const later = home.restarted(awayMinutes * MINUTE - MINUTE)
      later.rules.start()
      await later.pass(0)
      expect(later.devices, `${awayMinutes} min`).toEqual(devices)
      expect(later.log.filter(({ kind }) => kind === 'skipped').map(({ what }) => what)).toEqual(
        Array.from({ length: skipped }, () => 'missed a run: the gateway was off or its clock was wrong'),
      )
      await later.pass(DAY)
      expect(later.devices).toHaveLength(devices.length + 1)
    }
  },
)

proves(
  'automations.loops',
  'an automation that triggers itself over ten times in a minute is paused and logged',
  async () => {
    let id = ''
    const home = started('2027-05-03T12:00:00+02:00', 'Europe/Berlin', (it) => {
      it.echo()
      id = it.automation({
        mode: 'restart',
        when: [{ device: 'lamp', state: 'on', is: true }],
        then: [off('lamp'), { delay: 0.1 }, on('lamp')],
      })
    })
    home.power('lamp', false)
    home.power('lamp', true)
    await home.pass(HOUR)
    expect(home.log.filter(({ kind }) => kind === 'run')).toHaveLength(11)
    expect(home.rules.automations.get(id)).toMatchObject({ paused: true, enabled: true })
    expect(home.changes()).toContain('paused: it kept setting itself off')
    // A slow loop is none, however long it continues.
    const calm = started('2027-05-03T12:00:00+02:00', 'Europe/Berlin', (it) => {
      it.echo()
      id = it.automation({
        mode: 'restart',
        when: [{ device: 'lamp', state: 'on', is: true }],
        then: [off('lamp'), { delay: 10 }, on('lamp')],
      })
    })
    calm.power('lamp', false)
    calm.power('lamp', true)
    await calm.pass(HOUR)
    expect(calm.rules.automations.get(id)).toMatchObject({ paused: false })
    expect(calm.log.filter(({ kind }) => kind === 'run').length).toBeGreaterThan(300)
  },
)

proves(
  'automations.power',
  'power below 5 W for three minutes triggers once after each wash, and never on idle days',
  async () => {
    const home = started('2027-05-03T12:00:00+02:00', 'Europe/Berlin', (it) =>
      it.automation({ when: [{ device: 'washer', reading: 'power', below: 5, for: 180 }], then: [on('lamp')] }),
    )
    const sim = new SimHouse([
      { model: 'HMPH', load: { kind: 'appliance', watts: 2_000, idleWatts: 1.5, programme: 'laundry' } },
    ])
    sim.house.onReport((_unit, report) => {
      if (report.kind === 'energy') home.reading('washer', { power: report.powerW, energy: report.energyWh })
    })
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 10 * SECOND) {
        sim.pass(10 * SECOND)
        await home.pass(10 * SECOND)
      }
    }
    for (const washes of [1, 2, 3]) {
      sim.house.startAppliance(1)
      await pass(2 * HOUR)
      expect(home.devices).toHaveLength(washes)
    }
    sim.pass(7 * DAY)
    await home.pass(7 * DAY)
    expect(home.devices).toHaveLength(3)
  },
)
