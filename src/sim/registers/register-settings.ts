import type { Register } from './register-table.ts'

export type WriteRefusal = {
  readonly reason: 'unknown' | 'read_only' | 'out_of_range' | 'forbidden'
  readonly number: number
}

/** The settings of one scope of a unit, with the rules for writes (docs/hmhc-registers.md, `Rules for units`). */
export class RegisterSettings {
  readonly #byNumber = new Map<number, Register>()
  readonly #byName = new Map<string, Register>()
  readonly #values = new Map<string, number>()
  /** For a gang 0:00 means never; a unit refuses it. */
  readonly #isGang: boolean
  readonly #changed: ((names: readonly string[]) => void)[] = []

  constructor(
    registers: readonly Register[],
    options: { isGang?: boolean; values?: Readonly<Record<string, number>> } = {},
  ) {
    this.#isGang = options.isGang ?? false
    for (const register of registers) {
      this.#byNumber.set(register.number, register)
      this.#byName.set(register.name, register)
      this.#values.set(register.name, register.default)
    }
    const refusal = this.#check(
      Object.entries(options.values ?? {}).map(([name, value]) => [this.numberOf(name), value]),
    )
    if (refusal !== null) throw new RangeError(`register ${refusal.number} cannot be set so: ${refusal.reason}`)
    for (const [name, value] of Object.entries(options.values ?? {})) this.#values.set(name, value)
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** The value, or `otherwise` if the unit has no such register. */
  value(name: string, otherwise = 0): number {
    return this.#values.get(name) ?? otherwise
  }

  /** The value by number, or null if the unit has no such register. */
  read(number: number): number | null {
    const register = this.#byNumber.get(number)
    return register === undefined ? null : this.value(register.name)
  }

  all(): [number, number][] {
    return [...this.#byNumber.values()].map(({ number, name }) => [number, this.value(name)])
  }

  /** Writes all values or none; null on success. */
  write(writes: readonly (readonly [number: number, value: number])[]): WriteRefusal | null {
    const refusal = this.#check(writes)
    if (refusal !== null) return refusal
    const names: string[] = []
    for (const [number, value] of writes) {
      const name = this.#byNumber.get(number)?.name ?? ''
      if (this.#values.get(name) !== value) names.push(name)
      this.#values.set(name, value)
    }
    if (names.length > 0) for (const listener of this.#changed) listener(names)
    return null
  }

  /** Called with the names of the changed registers. */
  onChange(listener: (names: readonly string[]) => void): void {
    this.#changed.push(listener)
  }

  /** The number of a register. @throws if the unit has no such register */
  numberOf(name: string): number {
    const register = this.#byName.get(name)
    if (register === undefined) throw new RangeError(`this unit has no register ${name}`)
    return register.number
  }

  #check(writes: readonly (readonly [number: number, value: number])[]): WriteRefusal | null {
    const after = new Map(this.#values)
    for (const [number, value] of writes) {
      const register = this.#byNumber.get(number)
      if (register === undefined) return { reason: 'unknown', number }
      if (register.fixed) return { reason: 'read_only', number }
      if (!register.ranges.some(([low, high]) => value >= low && value <= high))
        return { reason: 'out_of_range', number }
      after.set(register.name, value)
    }
    const broken = this.#brokenRule(after)
    if (broken === null) return null
    const touched = writes.find(([number]) => broken.includes(this.#byNumber.get(number)?.name ?? ''))
    return touched === undefined ? null : { reason: 'forbidden', number: touched[0] }
  }

  /** The registers of the first forbidden combination, or null. */
  #brokenRule(values: ReadonlyMap<string, number>): readonly string[] | null {
    const of = (name: string): number => values.get(name) ?? 0
    const rule = (names: readonly string[], broken: () => boolean): readonly string[] | null =>
      names.every((name) => values.has(name)) && broken() ? names : null
    return (
      (this.#isGang
        ? null
        : rule(['no_motion_h', 'no_motion_min'], () => of('no_motion_h') + of('no_motion_min') === 0)) ??
      rule(['cool_on', 'cool_off'], () => of('cool_on') <= of('cool_off')) ??
      rule(['heat_on', 'heat_off'], () => of('heat_on') >= of('heat_off')) ??
      rule(
        ['heat_off', 'cool_off', 'climate_load'],
        () => of('climate_load') === 3 && of('heat_off') > of('cool_off'),
      ) ??
      rule(['up_time_min', 'up_time_s'], () => of('up_time_min') + of('up_time_s') === 0) ??
      rule(['down_time_min', 'down_time_s'], () => of('down_time_min') + of('down_time_s') === 0) ??
      rule(['shutter_leds', 'led_coding'], () => of('shutter_leds') === (of('led_coding') === 23 ? 1 : 3)) ??
      rule(['min_switch', 'max_switch'], () => of('min_switch') > of('max_switch'))
    )
  }
}
