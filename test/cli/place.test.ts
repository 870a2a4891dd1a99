import { afterAll, beforeAll, describe, expect } from 'vitest'
import { DEMO_PLAN } from '../../src/demo/demo-plan.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { HomeCommands } from '#support/gateway/home-commands.ts'
import { proves } from '#support/gateway/verifies.ts'

const lamp = { kind: 'lamp', watts: 8, lux: 80 } as const
const gang = (number: number) => ({ gang: number, kind: 'switch', room: 'study', load: lamp }) as const
/** Two modules on the bus that the house does not have. */
const FOUND = [
  { address: 120, model: 'HMHHX2', room: 'study', gangs: [gang(0), gang(1)] },
  { address: 121, model: 'HMHHX2', room: 'study', gangs: [gang(0), gang(1)] },
] as const

let home: TestHome
let commands: HomeCommands
beforeAll(async () => {
  home = await TestHome.open('http', { sim: { plan: { ...DEMO_PLAN, units: [...DEMO_PLAN.units, ...FOUND] } } })
  commands = new HomeCommands(home)
})
afterAll(() => home[Symbol.asyncDispose]())

describe('hm house place', () => {
  proves('administration.place', 'refuses id and address of two different units, without any change', async () => {
    const before = await commands.output('house', 'export')
    for (const [words, sentence] of [
      [
        ['120', '--id', 'living-lamp', '--name', 'Lamp'],
        'living-lamp is the unit at address 22: bin/hm house replace living-lamp 120 moves it to the unit at address 120.',
      ],
      [
        ['21', '--id', 'living-lamp'],
        'living-lamp is the unit at address 22: bin/hm house replace living-lamp 21 moves it to the unit at address 21.',
      ],
      [
        ['999', '--id', 'living-lamp'],
        'living-lamp is the unit at address 22: bin/hm house replace living-lamp 999 moves it to the unit at address 999.',
      ],
      [['22', '--id', 'other'], 'The unit at address 22 is in the house as living-lamp; an id cannot be changed.'],
      [
        ['living-lamp', '--id', 'other'],
        'living-lamp is the id of a unit: --id other is for a new unit, which is named by its address.',
      ],
      [['999'], 'No such unit: neither the house nor the bus has one at address 999.'],
      [['999', '--id', 'new'], 'No such unit: neither the house nor the bus has one at address 999.'],
    ] as const)
      expect(await commands.sentence('house', 'place', ...words), words.join(' ')).toBe(sentence)
    for (const words of [
      ['living-lamp', '--name', ''],
      ['120', '--id', ''],
      ['120', '--id', 'Not an id'],
      ['120', '--id', 'new', '--room', ''],
    ] as const)
      expect((await hm(home.running.dataDir, 'house', 'place', ...words)).code, words.join(' ')).toBe(1)
    expect(await commands.output('house', 'export')).toBe(before)
    // The unit's own address with its id is no contradiction.
    expect(await commands.output('house', 'place', '22', '--id', 'living-lamp')).toContain('living-lamp')
    expect(await commands.output('house', 'export')).toBe(before)
  })

  proves('administration.place', 'refuses a gang that is described twice or contradicts the unit', async () => {
    await commands.output('house', 'place', '121', '--id', 'panel')
    const before = await commands.output('house', 'export')
    expect(await commands.sentence('house', 'place', 'panel', '--gang', '0=hall', '0=study')).toBe(
      'The room of gang 0 is set twice.',
    )
    const placing = { unit: 'panel', gangs: [{ gang: 1, class: 'shutter_gang' }] }
    await expect(home.running.admin.call('POST', '/house/place', placing)).rejects.toThrow(
      'panel:1 is a switch_gang on the bus and cannot be a shutter_gang.',
    )
    expect(await commands.output('house', 'export')).toBe(before)
    await commands.output('house', 'place', 'panel', '--gang', '0=hall=Lamp', '--gang-light', '0=yes')
    expect(await commands.output('house', 'show')).toMatch(/panel:0 +Lamp +switch_gang +feeds a lamp +in hall\n/)
  })

  proves('administration.place', 'a new unit never replaces a unit with its usual id', async () => {
    // 0x78 is 120: a new unit at this address gets this id by default.
    await commands.output('house', 'place', '121', '--id', 'panel')
    const file = (await commands.output('house', 'export')).replaceAll('study-light', 'unit-78')
    await home.running.admin.call('PUT', '/house/file', { file, check: false })
    expect(await commands.sentence('house', 'place', '120')).toBe(
      'The house already has another unit unit-78: choose an id for the one at 120.',
    )
    expect(await commands.output('house', 'export')).toBe(file)
    expect(await commands.output('house', 'place', '120', '--id', 'unit-120')).toContain('unit-120')
  })
})
