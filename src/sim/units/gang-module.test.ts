import { describe, expect, it } from 'vitest'
import { LAMP, ON, SimHouse } from '#support/bus/sim-house.ts'

describe('a module', () => {
  const module = (registers = {}): SimHouse =>
    new SimHouse([
      {
        model: 'HMHHX2',
        registers,
        gangs: [
          { gang: 0, kind: 'switch', room: 'cellar', load: LAMP },
          { gang: 1, kind: 'switch', room: 'parlour', load: LAMP },
        ],
      },
    ])

  it("toggles gang by gang, unless a gang's touch area is blocked", () => {
    const house = module({ 'touch_area@1': 0 })
    house.touch('up', {}, 0)
    house.touch('up', {}, 1)
    expect([house.state(0), house.state(1)]).toMatchObject([{ on: true }, { on: false }])
    house.touch('down', {}, 0)
    expect(house.state(0)).toMatchObject({ on: false })
  })

  it('has scene buttons at its sides that turn groups off, unless disabled', () => {
    const house = module({ 'all_off_group@1': 170 })
    house.command(ON, 0)
    house.command(ON, 1)
    house.set({ side_button_left: 0 })
    house.touch('side_left')
    expect(house.state(0)).toMatchObject({ on: true })
    house.set({ side_button_left: 1 })
    house.touch('side_left')
    expect([house.state(0), house.state(1)]).toMatchObject([{ on: false }, { on: true }])
  })

  it('reports the last of its changes at the full minute if instant reporting is off', () => {
    const house = module({ instant_reporting: 0 })
    house.pass(10_000)
    house.touch('up', {}, 0)
    house.touch('up', {}, 0)
    house.touch('up', {}, 0)
    expect(house.stateReports()).toEqual([])
    house.pass(50_000)
    expect(house.stateReports()).toMatchObject([{ trigger: 'touch', state: { on: true } }])
  })
})
