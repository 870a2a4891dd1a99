/** The unit models of the simulated bus: the eight switches and the seven others. */
export const MODELS = [
  'HMHH',
  'HMHHX1',
  'HMHHX2',
  'HMHHX3',
  'HMHHX4',
  'HMPH',
  'HMSH',
  'HMTHX2',
  'HMAC',
  'HMIR',
  'HMLK',
  'HMGT',
  'HMCU',
  'HMSE',
  'HMMT',
] as const
export type SimModel = (typeof MODELS)[number]

/** Quantities of a sensor. */
export type Measures = 'temperature' | 'humidity' | 'light' | 'motion' | 'co2' | 'door' | 'battery'

/** Use of a room; decides when it is used and how it is lit. */
export type RoomUse = 'hall' | 'living' | 'kitchen' | 'dining' | 'utility' | 'bedroom' | 'bath' | 'office' | 'garden'

/** Physical properties of a room. */
export interface RoomPlan {
  readonly id: string
  readonly use: RoomUse
  /** Share of outdoor light through open shutters: 0.02 is a usual window, 1 is outside. */
  readonly daylight: number
}

/** The load on the terminals. A lamp gives `lux` in its room at full level, a heater warms it. */
export interface Load {
  readonly kind: 'lamp' | 'socket' | 'appliance' | 'heater' | 'fan' | 'none'
  readonly watts: number
  readonly lux?: number
  /** Standby power of an appliance; `watts` is its usual rating. */
  readonly idleWatts?: number
  /** Programme of an appliance; default: a dishwasher's. */
  readonly programme?: 'laundry'
}

/** `gang` is the position from 0; a cover takes its own and the next one. */
export interface GangPlan {
  readonly gang: number
  readonly kind: 'switch' | 'shutter'
  readonly room: string | null
  readonly load?: Load
  readonly mode?: 'auto' | 'eco' | 'manual'
}

export interface UnitPlan {
  readonly address: number
  readonly model: SimModel
  readonly room: string | null
  readonly load?: Load
  readonly gangs?: readonly GangPlan[]
  readonly measures?: readonly Measures[]
  /** Settings that differ from the model's defaults, by register name. A gang's are named `name@gang`. */
  readonly registers?: Readonly<Record<string, number>>
  /** Schedules of the unit's own. */
  readonly schedules?: readonly OwnSchedulePlan[]
  /** Seconds of a full travel, if no register says so. */
  readonly travelSeconds?: number
  /** Functions of its class that the unit does not have; adapters list them in HMHC 1.1. */
  readonly lacks?: readonly ('modes' | 'level')[]
  /** Default: Manual. */
  readonly mode?: 'auto' | 'eco' | 'manual'
  /** Initial energy counter; default: a plausible value. */
  readonly energyWh?: number
}

/** `days` are ISO weekdays, `minute` counts from local midnight. */
export interface OwnSchedulePlan {
  readonly gang?: number
  readonly days: readonly number[]
  readonly minute: number
  readonly op: 'on' | 'off' | 'open' | 'close'
}

/** Activities of people that the house notices. */
export type Occupation = 'sleep' | 'wash' | 'cook' | 'eat' | 'relax' | 'work' | 'play' | 'tidy' | 'outside' | 'away'

/** Activities with their usual start: the minute of the local day, and its maximum deviation. */
export type Hours = readonly (readonly [minute: number, spreadMinutes: number, doing: Occupation])[]

export interface PersonPlan {
  readonly id: string
  /** Monday to Friday. */
  readonly workday: Hours
  readonly weekend: Hours
  /** True if a car passes the gate when this person leaves and returns. */
  readonly drives: boolean
  /** Room of each activity; an activity without a room happens elsewhere. */
  readonly rooms: Readonly<
    Partial<Record<'sleep' | 'wash' | 'cook' | 'eat' | 'relax' | 'work' | 'pass' | 'tidy' | 'outside', string>>
  >
}

/** All physical properties of a house: the bus side of a simulated home. */
export interface HousePlan {
  readonly timeZone: string
  readonly latitude: number
  readonly longitude: number
  readonly rooms: readonly RoomPlan[]
  readonly units: readonly UnitPlan[]
  readonly people: readonly PersonPlan[]
}
