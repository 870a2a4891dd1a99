import { record, whole, words, oneRegister, writableWords, flag, writableFlag } from '../coding/coding.ts'
import {
  readOnly,
  ALL,
  ALL_GANGS,
  writable,
  LIGHTS,
  POWER_AND_SENSE,
  MODULES,
  DIMMER_AND_SINGLE,
  POWER,
  SHUTTER,
} from './intent.ts'

const THRESHOLD_MAX = 99

export const keySense = readOnly({
  id: 'key_sense',
  title: 'Key sensitivity',
  meaning:
    'The touch sensitivity of the up, mode and down areas of a switch: a higher number means less sensitive. On a gang of a module it says if the touch area is active or blocked.',
  when: 'A switch reacts to a sleeve, or only to a firm press, or a gang does not react to touches.',
  notWhen: 'The switch reacts although nobody touches it: see key_immunity.',
  guidance: "Set it in the app, in the unit's menu for keys, standing at the switch to try each area.",
  asks: ['Why does the kitchen switch only react when I press hard?', 'Is the second key of the hall module blocked?'],
  explainRank: 8,
  models: ALL,
  gangs: ALL_GANGS,
  coding: ({ scope }) =>
    scope === 'gang'
      ? record({
          touchArea: words('touch_area', { 0: 'blocked', 1: 'active' }, "State of the gang's touch area"),
        })
      : record({
          up: whole('key_sense_up', 1, THRESHOLD_MAX, 'Up area; higher means less sensitive'),
          mode: whole('key_sense_mode', 1, THRESHOLD_MAX, 'Mode area; higher means less sensitive'),
          down: whole('key_sense_down', 1, THRESHOLD_MAX, 'Down area; higher means less sensitive'),
        }),
})

/** The register: 0 to 99, 90 locks the keys, plus 100 on 60 Hz mains (Spec 2.7). */
const IMMUNITY_MAX = 99
const LOCKED = 90
const SIXTY_HERTZ = 100

const immunityOf = (raw: number): number | null => (raw <= SIXTY_HERTZ + IMMUNITY_MAX ? raw % SIXTY_HERTZ : null)

export const keyImmunity = readOnly({
  id: 'key_immunity',
  title: 'Key immunity',
  meaning:
    'The electrical noise that the keys tolerate before they take it for a touch, 0 to 99. Exactly 90 locks the keys of the unit. It also shows the mains frequency of the unit, 50 or 60 Hz.',
  when: 'A switch acts as if touched although nobody is there, or does not react to any touch.',
  notWhen: 'One area of a switch is too sensitive or not sensitive enough: see key_sense.',
  guidance: "Set it in the app, in the unit's menu for keys. Leave 90 by choosing any other number there.",
  asks: ['Are the keys of the nursery switch locked?', 'Why does the terrace switch turn on by itself?'],
  models: ALL,
  coding: () =>
    record({
      immunity: oneRegister(
        'key_immunity',
        { type: 'integer', minimum: 0, maximum: IMMUNITY_MAX, description: 'Higher tolerates more noise' },
        immunityOf,
      ),
      locked: oneRegister(
        'key_immunity',
        { type: 'boolean', description: 'True if the keys are locked (immunity 90)' },
        (raw) => {
          const immunity = immunityOf(raw)
          return immunity === null ? null : immunity === LOCKED
        },
      ),
      mainsHz: oneRegister(
        'key_immunity',
        { type: 'integer', enum: [50, 60], description: 'Mains frequency in Hz' },
        (raw) => (immunityOf(raw) === null ? null : raw >= SIXTY_HERTZ ? 60 : 50),
      ),
    }),
})

export const ledMode = writable({
  id: 'led_mode',
  title: 'Status LEDs',
  meaning:
    'When the status LEDs are lit: always, only while the load is on, or never. The LED of a shutter gang counts the load as on while the shutter moves.',
  when: 'LEDs disturb at night, or a switch should be easy to find in the dark.',
  notWhen: 'The shutter switch is meant: its LEDs are the read-only intent shutter_leds.',
  sideEffects: 'With off, the switch no longer shows the state of the load.',
  examples: [
    { ask: 'Turn off the little lights on the bedroom switch.', value: 'off' },
    { ask: 'The stairs switch should glow so that I find it at night.', value: 'on' },
    { ask: 'Show me at the switch whether the cellar light is on.', value: 'while_on' },
  ],
  models: [...LIGHTS, ...POWER_AND_SENSE],
  gangs: ALL_GANGS,
  coding: () =>
    writableWords(
      'led_mode',
      { 0: 'off', 1: 'on', 2: 'while_on' },
      'on: always lit; while_on: lit only while the load is on; off: never lit',
    ),
})

export const sideButtons = readOnly({
  id: 'side_buttons',
  title: 'Side buttons',
  meaning: 'Shows if the scene buttons at the sides of a module are off, and if the left and the right one respond.',
  when: 'A scene button at the side of a module does nothing.',
  notWhen: 'One of the gangs does not react to touches: see key_sense of that gang.',
  guidance: "Set it in the app, in the module's menu for keys.",
  asks: ['Why does the left button on the hall module do nothing?'],
  models: MODULES,
  coding: () =>
    record({
      off: flag('side_buttons_off', 'True if both are off'),
      left: flag('side_button_left', 'True if the left one responds'),
      right: flag('side_button_right', 'True if the right one responds'),
    }),
})

export const singleTouch = writable({
  id: 'single_touch',
  title: 'Single touch',
  meaning:
    'Makes the whole face of the switch one key: any touch toggles the load. On a shutter a short touch on up or down moves it all the way, and a touch while it moves stops it.',
  when: 'Somebody finds the separate areas hard to hit, or wants the simplest switch there is.',
  notWhen: 'People use the separate up, mode and down areas, for instance to change the mode at the switch.',
  sideEffects:
    'The mode area no longer changes the mode by touch; the mode can still be set from the app or the API. A shutter no longer moves just as long as the key is held.',
  examples: [
    { ask: 'Make the hall switch react wherever I touch it.', value: true },
    { ask: 'I want separate keys on the bedroom shutter again.', value: false },
  ],
  explainRank: 1,
  models: [...DIMMER_AND_SINGLE, ...POWER, ...SHUTTER],
  coding: () =>
    writableFlag('single_touch', 'true: the whole face is one key; false: up, mode and down are keys of their own'),
})

const SLOT_MAX = 8
const CHANNEL_MAX = 15

export const irBinding = readOnly({
  id: 'ir_binding',
  title: 'IR emitter',
  meaning:
    'The paired IR emitter of a power or sense switch, by its slot 1 to 8 (0: none), and the channels that it sends on turning on and off.',
  when: 'A switch should start a device by infrared, or starts the wrong one.',
  notWhen: 'A single remote key should be sent: use the operation key of the IR remote itself.',
  guidance: "Pair the emitter and choose its channels in the app, in the unit's menu for infrared.",
  asks: ['Does the bedroom socket also send an infrared signal?'],
  meanings: { emitter: { 0: 'none' } },
  models: POWER_AND_SENSE,
  coding: () =>
    record({
      bound: oneRegister('ir_emitter', { type: 'boolean', description: 'True if an emitter is paired' }, (raw) =>
        raw > SLOT_MAX ? null : raw > 0,
      ),
      emitter: whole('ir_emitter', 0, SLOT_MAX, 'Slot of the emitter; 0: none'),
      channelOn: whole('ir_channel_on', 0, CHANNEL_MAX, 'Channel sent on turning on'),
      channelOff: whole('ir_channel_off', 0, CHANNEL_MAX, 'Channel sent on turning off'),
    }),
})
