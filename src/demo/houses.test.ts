import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { readHomeFile } from '../home/home-file.ts'
import { readHouseFile } from '../home/house/house-file.ts'
import { SimulatedHouse } from '../sim/simulated-house.ts'
import { DEMO_PLAN } from './demo-plan.ts'
import { generateHouse, type GeneratedHouseFile } from './generate-house.ts'
import { MODELS, type HousePlan } from '../sim/model/house-plan.ts'

const demoText = readFileSync(new URL('./demo-house.yaml', import.meta.url), 'utf8')
const demoFile: GeneratedHouseFile = parse(demoText)

/** Facts that both sides must agree on, by address. */
const busSide = ({ units }: HousePlan): object[] =>
  units.map(({ address, model, room, gangs = [] }) => ({
    address,
    model,
    room,
    gangs: gangs.map(({ gang, kind, room: its }) => ({ gang, class: `${kind}_gang`, room: its })),
  }))
const fileSide = ({ units }: GeneratedHouseFile): object[] =>
  units.map(({ address, model, room = null, gangs = [] }) => ({
    address,
    model,
    room,
    gangs: gangs.map(({ gang, class: its, room: where = null }) => ({ gang, class: its, room: where })),
  }))

describe('the demo house', () => {
  it('has the same units, gangs and rooms in both of its forms', () => {
    expect(busSide(DEMO_PLAN)).toEqual(fileSide(demoFile))
    expect(DEMO_PLAN.rooms.map(({ id }) => id)).toEqual(demoFile.rooms.map(({ id }) => id))
  })

  it('marks the switch gangs that feed a lamp', () => {
    const { units } = parse(demoText) as { units: { gangs?: { class: string; light?: boolean }[] }[] }
    const switchGangs = units.flatMap(({ gangs = [] }) => gangs.filter(({ class: kind }) => kind === 'switch_gang'))
    const planned = DEMO_PLAN.units.flatMap(({ gangs = [] }) => gangs.filter(({ kind }) => kind === 'switch'))
    expect(switchGangs.map(({ light }) => light)).toEqual(planned.map(({ load }) => load?.kind === 'lamp'))
  })

  it('is a valid house file', () => {
    expect(readHomeFile(demoText, 'UTC')).toMatchObject({ ok: true })
  })

  it('begins with a handful of automations and two schedules, none of which opens an entrance', () => {
    const read = readHomeFile(demoText, 'UTC')
    if (!read.ok) throw new Error(read.error)
    const { automations, schedules } = read.value.rules
    expect([automations.length, schedules.length]).toEqual([4, 2])
    for (const { then, enabled } of [...automations, ...schedules]) {
      expect(enabled).toBe(true)
      for (const step of then) if ('device' in step) expect(['front-door', 'driveway-gate']).not.toContain(step.device)
    }
  })

  it('shows every model, and every peculiarity of place', () => {
    const { units, rooms, scenes } = demoFile
    expect(new Set(units.map(({ model }) => model))).toEqual(new Set(MODELS))
    expect(rooms.filter(({ floor }) => floor === undefined)).toHaveLength(1)
    expect(units.filter(({ room }) => room === undefined)).toHaveLength(1)
    expect(scenes).toHaveLength(5)
    expect(units.some(({ gangs = [] }) => new Set(gangs.map(({ room }) => room)).size > 1)).toBe(true)
    expect(units.some(({ gangs = [] }) => gangs.some((gang) => gang.class === 'shutter_gang'))).toBe(true)
  })
})

describe('a generated house', () => {
  it('depends only on the seed', () => {
    expect(generateHouse(60, 7)).toEqual(generateHouse(60, 7))
    expect(generateHouse(60, 7).plan.units).not.toEqual(generateHouse(60, 8).plan.units)
  })

  it.each([1, 30, 300])('of %i units is a valid house file, and matches its bus side', (units) => {
    const { plan, file } = generateHouse(units, 7)
    expect(plan.units).toHaveLength(units)
    expect(busSide(plan)).toEqual(fileSide(file))
    expect(readHouseFile(JSON.stringify(file), 'UTC')).toMatchObject({ ok: true })
  })

  it('of 3,000 units stands behind one timer of the house and a few of the line', { tags: ['long'] }, () => {
    const clock = new ManualClock()
    const sim = new SimulatedHouse({ clock, seed: 7, plan: generateHouse(3_000, 7).plan })
    expect(sim.house.units).toHaveLength(3_000)
    expect(clock.waiting).toBeLessThan(5)
    sim.stop()
    expect(clock.waiting).toBe(0)
  })
})
