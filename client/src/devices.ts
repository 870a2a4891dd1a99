import type { AnswerOf, CallOf, WriteOptions } from './call.ts'
import type { Caller } from './caller.ts'
import type {
  AcModeArgs,
  AcState,
  Control,
  CoverState,
  DimmerState,
  FanArgs,
  GateState,
  KeyArgs,
  LockState,
  ModeArgs,
  PowerState,
  RemoteState,
  SwitchState,
} from './contract.ts'

/** Response to a control: the state that the unit confirmed. */
export interface Controlled<State> {
  readonly house: string
  readonly device: string
  readonly state: State
}

/** To open a lock or gate, a program may need the six-digit code that an administrator sees. */
export interface OpenOptions extends WriteOptions {
  readonly code?: string
}

/** Every operation of a device, named as in the specification. */
export type Operations<State> = Omit<Device<State>, 'id'>

type Cover = Pick<Operations<CoverState>, 'open' | 'close' | 'stop' | 'setPosition' | 'setMode'>
type Switch = Pick<Operations<SwitchState>, 'setPower' | 'setMode'>

/**
 * Operations of each class. The field `operations` of a device lists those that it accepts now: a power switch accepts
 * `setTemp` only while it feeds a climate load.
 */
export interface DeviceByClass {
  light_switch: Switch
  light_dimmer: Pick<Operations<DimmerState>, 'setPower' | 'setBrightness' | 'setMode'>
  shutter: Cover
  curtain: Cover
  power_switch: Pick<Operations<PowerState>, 'setPower' | 'setMode' | 'setTemp'>
  sense_switch: Switch
  ac: Pick<Operations<AcState>, 'setPower' | 'setTemp' | 'setAcMode' | 'setFan'>
  ir_remote: Pick<Operations<RemoteState>, 'key'>
  lock: Pick<Operations<LockState>, 'open' | 'close'>
  gate: Pick<Operations<GateState>, 'open' | 'close' | 'stop'>
  switch_gang: Switch
  shutter_gang: Cover
}

type Args = NonNullable<Control['args']>

/** One device. The caller names its class, and with it the type of its state. */
export class Device<State> {
  readonly id: string
  readonly #caller: Caller

  constructor(caller: Caller, id: string) {
    this.#caller = caller
    this.id = id
  }

  setPower(on: boolean, options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('set_power', { on }, options)
  }

  /** @param bri percent, whole; 0 switches off */
  setBrightness(bri: number, options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('set_brightness', { bri }, options)
  }

  /** @param pos percent, whole; 100 is open */
  setPosition(pos: number, options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('set_position', { pos }, options)
  }

  open({ code, ...options }: OpenOptions = {}): Promise<Controlled<State>> {
    return this.#control('open', undefined, options, code)
  }

  close(options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('close', undefined, options)
  }

  stop(options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('stop', undefined, options)
  }

  setMode(mode: ModeArgs['mode'], options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('set_mode', { mode }, options)
  }

  /** @param temp degrees Celsius, in steps of a half */
  setTemp(temp: number, options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('set_temp', { temp }, options)
  }

  setAcMode(mode: AcModeArgs['mode'], options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('set_ac_mode', { mode }, options)
  }

  setFan(fan: FanArgs['fan'], options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('set_fan', { fan }, options)
  }

  key(key: KeyArgs['key'], options?: WriteOptions): Promise<Controlled<State>> {
    return this.#control('key', { key }, options)
  }

  async #control(
    op: Control['op'],
    args: Args | undefined,
    options: WriteOptions = {},
    code?: string,
  ): Promise<Controlled<State>> {
    const body: Control = { op, ...(args ? { args } : {}), ...(code === undefined ? {} : { code }) }
    const answer: AnswerOf<CallOf<'post', '/v1/devices/{id}/control'>> = await this.#caller.call(
      'post',
      '/v1/devices/{id}/control',
      { path: { id: this.id }, body, ...options },
    )
    return answer as Controlled<State>
  }
}
