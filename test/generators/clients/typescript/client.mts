// A client in TypeScript with types of openapi-typescript. The compiler knows every field below.
import createClient from 'openapi-fetch'
import type { components, paths } from './hm.ts'

type Schemas = components['schemas']

const client = createClient<paths>({
  baseUrl: process.env['HM_URL'] ?? '',
  headers: { authorization: `Bearer ${process.env['HM_TOKEN']}` },
})

function isDimmerState(state: Schemas['State'] | null | undefined): state is Schemas['DimmerState'] {
  return state !== null && state !== undefined && 'bri' in state
}

const { data: house } = await client.GET('/v1/house')
if (!house) throw new Error('There is no house.')
const units = [...house.floors.flatMap((floor) => floor.rooms), ...house.rooms].flatMap((room) => room.units)
const dimmer = units.find((unit) => unit.class === 'light_dimmer')
if (!dimmer || !isDimmerState(dimmer.state)) throw new Error('There is no dimmer.')
const brightness: number = dimmer.state.bri

const step: Schemas['SetBrightnessStep'] = { device: dimmer.id, op: 'set_brightness', args: { bri: 40 } }
const made = await client.POST('/v1/automations', {
  body: {
    name: 'Made in TypeScript',
    when: [{ time: '07:00', days: [1, 7] }],
    if: [{ after: 'sunset' }],
    then: [step],
  },
})
if (!made.data) throw new Error(made.error.error.message)
const id = made.data.automation.id

const read = await client.GET('/v1/automations/{id}', { params: { path: { id } } })
if (!read.data) throw new Error(read.error.error.message)
const { automation } = read.data
const sent = await client.PATCH('/v1/automations/{id}', {
  params: { path: { id } },
  body: { ...automation, ifRevision: automation.revision },
})
if (!sent.data) throw new Error(sent.error.error.message)
const [first] = sent.data.automation.then
if (!first || !('op' in first && 'device' in first) || first.op !== 'set_brightness')
  throw new Error('The step is another one.')
console.log(JSON.stringify({ brightness, stepped: 'bri' in first.args ? first.args.bri : null }))
