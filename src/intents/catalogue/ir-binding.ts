import { oneRegister, record } from '../coding/coding.ts'
import { whole } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { POWER_AND_SENSE } from '../models.ts'

const SLOT_MAX = 8
const CHANNEL_MAX = 15

export const irBinding = readOnly({
  id: 'ir_binding',
  title: 'IR emitter',
  meaning:
    'Which paired IR emitter a power or sense switch drives, by its slot 1 to 8 (0: none), and the channels it sends when it turns on and off.',
  when: 'A switch should start a device by infrared, or starts the wrong one.',
  notWhen: 'A single remote key should be sent: use the operation key of the IR remote itself.',
  sideEffects: 'None: it is only shown.',
  guidance: "Pair the emitter and choose its channels in the app, in the unit's menu for infrared.",
  asks: ['Does the bedroom socket also send an infrared signal?'],
  meanings: { emitter: { 0: 'none' } },
  models: POWER_AND_SENSE,
  coding: () =>
    record({
      bound: oneRegister('ir_emitter', { type: 'boolean', description: 'Whether an emitter is paired' }, (raw) =>
        raw > SLOT_MAX ? null : raw > 0,
      ),
      emitter: whole('ir_emitter', 0, SLOT_MAX, 'Slot of the emitter; 0: none'),
      channelOn: whole('ir_channel_on', 0, CHANNEL_MAX, 'Channel sent on turning on'),
      channelOff: whole('ir_channel_off', 0, CHANNEL_MAX, 'Channel sent on turning off'),
    }),
})
