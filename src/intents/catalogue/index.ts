import type { Intent } from './intent.ts'
import * as loads from './loads.ts'
import * as automatics from './automatics.ts'
import * as units from './units.ts'
import * as keys from './keys.ts'
import * as shutters from './shutters.ts'

/** Every intent, in the order of the catalogue (Spec 2.7). */
export const INTENTS: readonly Intent[] = [
  keys.singleTouch,
  keys.ledMode,
  loads.turnOnBrightness,
  automatics.offDelay,
  automatics.offAfterNoMotion,
  automatics.quickOff,
  automatics.onlyWhenDark,
  units.climate,
  shutters.shutterEcoLight,
  keys.keySense,
  keys.keyImmunity,
  loads.fadeSpeed,
  automatics.presenceSensing,
  shutters.shutterTravel,
  shutters.shutterAutomatic,
  shutters.shutterEdges,
  shutters.shutterLeds,
  automatics.automaticModes,
  loads.safetyOffInManual,
  automatics.sleepTimer,
  loads.afterPowerCut,
  loads.allOffGroup,
  loads.loadCalibration,
  loads.protection,
  keys.irBinding,
  keys.sideButtons,
  units.groupsAndSensors,
  units.protocol,
]
