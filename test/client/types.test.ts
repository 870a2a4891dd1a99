import { expect, expectTypeOf, test } from 'vitest'
import type { Client, DeviceByClass, DimmerState, House, Open, Paths } from '../../client/src/core.ts'
import type { Method, PathOf } from '../../client/src/call.ts'
import { proves } from '#support/gateway/verifies.ts'
import { OPERATIONS_OF } from '../../src/home/model/device.ts'

/**
 * Never run: `npm test -- --only types` tests that it compiles. Each line below a comment must not.
 */
export function compiles(client: Client, id: string): readonly Promise<unknown>[] {
  return [
    client.call('get', '/v1/house'),
    client.call('get', '/v1/house', { query: { class: 'light_dimmer' }, signal: AbortSignal.abort() }),
    client.call('post', '/v1/devices/{id}/control', { path: { id }, body: { op: 'open' }, idempotencyKey: 'k' }),
    client.device('light_dimmer', id).setBrightness(40),
    // @ts-expect-error: there is no such path
    client.call('get', '/v1/houses'),
    // @ts-expect-error: a path does not hold an id of its own
    client.call('get', '/v1/devices/7k2m:lamp'),
    // @ts-expect-error: the path does not take this method
    client.call('post', '/v1/house'),
    // @ts-expect-error: always refused, deleting is done in the app
    client.call('delete', '/v1/scenes/{id}', { path: { id } }),
    // @ts-expect-error: always refused, moving is done in the app
    client.call('put', '/v1/devices/{id}', { path: { id } }),
    // @ts-expect-error: always refused at this path
    client.call('post', '/v1/rooms'),
    // @ts-expect-error: the stream is no call
    client.call('get', '/v1/stream'),
    // @ts-expect-error: the id is missing
    client.call('get', '/v1/devices/{id}'),
    // @ts-expect-error: the intent is missing
    client.call('put', '/v1/devices/{id}/intents/{intent}', { path: { id }, body: { value: 1 } }),
    // @ts-expect-error: the body is missing
    client.call('post', '/v1/devices/{id}/control', { path: { id } }),
    // @ts-expect-error: there is no such operation
    client.call('post', '/v1/devices/{id}/control', { path: { id }, body: { op: 'explode' } }),
    // @ts-expect-error: there is no such field
    client.call('post', '/v1/devices/{id}/control', { path: { id }, body: { op: 'open', force: true } }),
    // @ts-expect-error: there is no such query
    client.call('get', '/v1/house', { query: { colour: 'red' } }),
    // @ts-expect-error: the query needs the kind of reading
    client.call('get', '/v1/devices/{id}/readings', { path: { id } }),
    // @ts-expect-error: reading takes no key
    client.call('get', '/v1/house', { idempotencyKey: 'k' }),
    // @ts-expect-error: a dry run takes no key
    client.call('post', '/v1/scenes/{id}/try', { path: { id }, idempotencyKey: 'k' }),
    // @ts-expect-error: a lock has no brightness
    client.device('lock', id).setBrightness(40),
    // @ts-expect-error: what only measures takes nothing
    client.device('sensor', id),
    // @ts-expect-error: there is no such mode to set
    client.device('shutter', id).setMode('sleep'),
  ]
}

test('answers have the types of the contract', () => {
  expectTypeOf<Awaited<ReturnType<Client['house']>>>().toEqualTypeOf<House>()
  type Dimmed = Awaited<ReturnType<DeviceByClass['light_dimmer']['setBrightness']>>
  expectTypeOf<Dimmed['state']>().toEqualTypeOf<DimmerState>()
  expectTypeOf<House['floors'][number]['rooms'][number]['units'][number]['kind']>().toEqualTypeOf<'unit' | 'module'>()
  expectTypeOf<'new_class'>().toExtend<Open<'light_switch'>>()
})

proves('client.typed', 'every path of the contract can be called by one of its methods', () => {
  expectTypeOf<{ [M in Method]: PathOf<M> }[Method]>().toEqualTypeOf<keyof Paths>()
})

test('each class has its operations, a power switch the one for a climate load besides', () => {
  const methods = {
    light_switch: ['setPower', 'setMode'],
    light_dimmer: ['setPower', 'setBrightness', 'setMode'],
    shutter: ['open', 'close', 'stop', 'setPosition', 'setMode'],
    curtain: ['open', 'close', 'stop', 'setPosition', 'setMode'],
    power_switch: ['setPower', 'setMode', 'setTemp'],
    sense_switch: ['setPower', 'setMode'],
    ac: ['setPower', 'setTemp', 'setAcMode', 'setFan'],
    ir_remote: ['key'],
    lock: ['open', 'close'],
    gate: ['open', 'close', 'stop'],
    switch_gang: ['setPower', 'setMode'],
    shutter_gang: ['open', 'close', 'stop', 'setPosition', 'setMode'],
  } as const satisfies { readonly [C in keyof DeviceByClass]: readonly (keyof DeviceByClass[C])[] }
  expectTypeOf<{ [C in keyof DeviceByClass]: keyof DeviceByClass[C] }>().toEqualTypeOf<{
    -readonly [C in keyof typeof methods]: (typeof methods)[C][number]
  }>()

  const camel = (op: string): string => op.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const declared = Object.entries(OPERATIONS_OF)
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => [name, [...operations, ...(name === 'power_switch' ? ['set_temp'] : [])].map(camel)])
  expect(Object.fromEntries(declared)).toEqual(methods)
})
