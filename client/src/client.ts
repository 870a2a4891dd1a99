import type { AnswerOf, CallOf, CallOptions, InputOf, Method, PathOf, WriteOptions } from './call.ts'
import { Caller } from './caller.ts'
import { Device, type DeviceByClass } from './devices.ts'
import { type Followed, follow, type FollowOptions, type Topic } from './follow.ts'
import { Home, type HomeOptions } from './home.ts'

type Answer<M extends Method, P extends PathOf<M>> = Promise<AnswerOf<CallOf<M, P>>>
type Query<P extends PathOf<'get'>> = NonNullable<
  InputOf<CallOf<'get', P>> extends { readonly query?: infer Q } ? Q : never
>
type Body<M extends Method, P extends PathOf<M>> = InputOf<CallOf<M, P>> extends { readonly body: infer B } ? B : never

/** A home, as a program sees it: methods for the common calls, `call` for all others. */
export class Client extends Caller {
  /** Events of these topics, across reconnects. On `resync`, read the home again. */
  follow(topics: readonly Topic[], options?: FollowOptions): AsyncGenerator<Followed, void, undefined> {
    return follow(this, topics, options)
  }

  /** A live model of the whole home. */
  home(options?: HomeOptions): Promise<Home> {
    return Home.open(this, options)
  }

  /** One device of a class, for its operations: `client.device('light_dimmer', id).setBrightness(40)`. */
  device<C extends keyof DeviceByClass>(_class: C, id: string): DeviceByClass[C] {
    return new Device<never>(this, id)
  }

  /** The integration of this token, with its permissions. */
  integration(options: CallOptions = {}): Answer<'get', '/v1/integration'> {
    return this.call('get', '/v1/integration', options)
  }

  /** Floors, rooms, units, scenes and groups, with their states. */
  house(query: Query<'/v1/house'> = {}, options: CallOptions = {}): Answer<'get', '/v1/house'> {
    return this.call('get', '/v1/house', { query, ...options })
  }

  /** The state of every device. */
  state(query: Query<'/v1/state'> = {}, options: CallOptions = {}): Answer<'get', '/v1/state'> {
    return this.call('get', '/v1/state', { query, ...options })
  }

  /** Controls several devices: a list, or all of a room, floor or group. */
  control(body: Body<'post', '/v1/control'>, options: WriteOptions = {}): Answer<'post', '/v1/control'> {
    return this.call('post', '/v1/control', { body, ...options })
  }

  /** Readings of all sensors and meters. */
  sensors(query: Query<'/v1/sensors'> = {}, options: CallOptions = {}): Answer<'get', '/v1/sensors'> {
    return this.call('get', '/v1/sensors', { query, ...options })
  }

  scenes(options: CallOptions = {}): Answer<'get', '/v1/scenes'> {
    return this.call('get', '/v1/scenes', options)
  }

  /** Resolves when the scene has begun to run. */
  runScene(id: string, options: WriteOptions = {}): Answer<'post', '/v1/scenes/{id}/run'> {
    return this.call('post', '/v1/scenes/{id}/run', { path: { id }, ...options })
  }

  automations(options: CallOptions = {}): Answer<'get', '/v1/automations'> {
    return this.call('get', '/v1/automations', options)
  }

  schedules(options: CallOptions = {}): Answer<'get', '/v1/schedules'> {
    return this.call('get', '/v1/schedules', options)
  }

  /** Events of the home with their causes, newest first; `nextTo` is the `to` of the next page. */
  activity(query: Query<'/v1/activity'> = {}, options: CallOptions = {}): Answer<'get', '/v1/activity'> {
    return this.call('get', '/v1/activity', { query, ...options })
  }

  /** Explains the state of a device. */
  explain(
    id: string,
    query: Query<'/v1/devices/{id}/explain'> = {},
    options: CallOptions = {},
  ): Answer<'get', '/v1/devices/{id}/explain'> {
    return this.call('get', '/v1/devices/{id}/explain', { path: { id }, query, ...options })
  }

  /** Energy in Wh and its cost. */
  energy(query: Query<'/v1/energy'> = {}, options: CallOptions = {}): Answer<'get', '/v1/energy'> {
    return this.call('get', '/v1/energy', { query, ...options })
  }

  /** Settings of a device, as its unit last confirmed them. */
  intents(id: string, options: CallOptions = {}): Answer<'get', '/v1/devices/{id}/intents'> {
    return this.call('get', '/v1/devices/{id}/intents', { path: { id }, ...options })
  }

  /** Changes a setting; the response has the value that the unit confirmed. */
  setIntent(
    id: string,
    intent: string,
    value: unknown,
    options: WriteOptions = {},
  ): Answer<'put', '/v1/devices/{id}/intents/{intent}'> {
    return this.call('put', '/v1/devices/{id}/intents/{intent}', { path: { id, intent }, body: { value }, ...options })
  }
}
