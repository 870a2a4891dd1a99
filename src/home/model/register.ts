/**
 * Unit settings as the units hold them: named registers with raw values. `hmhc/` maps the names to register numbers
 * for each model; `intents/` gives the raw values their meaning. Neither knows the other.
 */
export type RegisterName = string
export type RegisterValues = Readonly<Record<RegisterName, number>>

/**
 * One of a unit's own schedules, as last read (Spec 4 rule 8: read-only). `days` are ISO weekdays, 1 Monday to 7
 * Sunday.
 */
export interface UnitSchedule {
  readonly slot: number
  readonly enabled: boolean
  readonly gang: number | null
  readonly days: readonly number[]
  /** Local time, `HH:MM`. */
  readonly time: string
  readonly op: string
  readonly args?: Readonly<Record<string, unknown>>
}
