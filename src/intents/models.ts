import type { GangClass, SwitchModel } from '../home/model/device.ts'

/** Groups of models as the catalogue names them: A, B, then C, D, E, then P, S, T. */
export const DIMMER: readonly SwitchModel[] = ['HMHH']
export const DIMMER_AND_SINGLE: readonly SwitchModel[] = ['HMHH', 'HMHHX1']
export const MODULES: readonly SwitchModel[] = ['HMHHX2', 'HMHHX3', 'HMHHX4']
export const LIGHTS: readonly SwitchModel[] = [...DIMMER_AND_SINGLE, ...MODULES]
export const POWER: readonly SwitchModel[] = ['HMPH']
export const SENSE: readonly SwitchModel[] = ['HMSH']
export const POWER_AND_SENSE: readonly SwitchModel[] = [...POWER, ...SENSE]
export const SHUTTER: readonly SwitchModel[] = ['HMTHX2']
export const ALL: readonly SwitchModel[] = [...LIGHTS, ...POWER_AND_SENSE, ...SHUTTER]

/** Per-gang intents about lights and their loads; and those that make sense for a shutter of two gangs as well. */
export const SWITCH_GANGS: readonly GangClass[] = ['switch_gang']
export const ALL_GANGS: readonly GangClass[] = ['switch_gang', 'shutter_gang']
