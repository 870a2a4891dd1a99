import type { Intent } from './intent.ts'
import {
  afterPowerCut,
  allOffGroup,
  fadeSpeed,
  loadCalibration,
  protection,
  safetyOffInManual,
  turnOnBrightness,
} from './loads.ts'
import {
  automaticModes,
  offAfterNoMotion,
  offDelay,
  onlyWhenDark,
  presenceSensing,
  quickOff,
  sleepTimer,
} from './automatics.ts'
import { climate, groupsAndSensors, protocol } from './units.ts'
import { irBinding, keyImmunity, keySense, ledMode, sideButtons, singleTouch } from './keys.ts'
import { shutterAutomatic, shutterEcoLight, shutterEdges, shutterLeds, shutterTravel } from './shutters.ts'

/** Every intent, in the order of the catalogue (Spec 2.7). */
export const INTENTS: readonly Intent[] = [
  singleTouch,
  ledMode,
  turnOnBrightness,
  offDelay,
  offAfterNoMotion,
  quickOff,
  onlyWhenDark,
  climate,
  shutterEcoLight,
  keySense,
  keyImmunity,
  fadeSpeed,
  presenceSensing,
  shutterTravel,
  shutterAutomatic,
  shutterEdges,
  shutterLeds,
  automaticModes,
  safetyOffInManual,
  sleepTimer,
  afterPowerCut,
  allOffGroup,
  loadCalibration,
  protection,
  irBinding,
  sideButtons,
  groupsAndSensors,
  protocol,
]
