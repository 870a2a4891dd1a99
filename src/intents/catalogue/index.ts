import type { Intent } from '../intent.ts'
import { afterPowerCut } from './after-power-cut.ts'
import { allOffGroup } from './all-off-group.ts'
import { automaticModes } from './automatic-modes.ts'
import { climate } from './climate.ts'
import { fadeSpeed } from './fade-speed.ts'
import { groupsAndSensors } from './groups-and-sensors.ts'
import { irBinding } from './ir-binding.ts'
import { keyImmunity } from './key-immunity.ts'
import { keySense } from './key-sense.ts'
import { ledMode } from './led-mode.ts'
import { loadCalibration } from './load-calibration.ts'
import { offAfterNoMotion } from './off-after-no-motion.ts'
import { offDelay } from './off-delay.ts'
import { onlyWhenDark } from './only-when-dark.ts'
import { presenceSensing } from './presence-sensing.ts'
import { protection } from './protection.ts'
import { protocol } from './protocol.ts'
import { quickOff } from './quick-off.ts'
import { safetyOffInManual } from './safety-off-in-manual.ts'
import { shutterAutomatic } from './shutter-automatic.ts'
import { shutterEcoLight } from './shutter-eco-light.ts'
import { shutterEdges } from './shutter-edges.ts'
import { shutterLeds } from './shutter-leds.ts'
import { shutterTravel } from './shutter-travel.ts'
import { sideButtons } from './side-buttons.ts'
import { singleTouch } from './single-touch.ts'
import { sleepTimer } from './sleep-timer.ts'
import { turnOnBrightness } from './turn-on-brightness.ts'

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
