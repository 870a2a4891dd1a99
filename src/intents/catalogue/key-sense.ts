import { record } from '../coding/coding.ts'
import { whole, words } from '../coding/fields.ts'
import { readOnly } from '../define.ts'
import { ALL, ALL_GANGS } from '../models.ts'

const THRESHOLD_MAX = 99

export const keySense = readOnly({
  id: 'key_sense',
  title: 'Key sensitivity',
  meaning:
    'How firmly the up, mode and down areas of a switch must be touched: a higher number means less sensitive. On a gang of a module: whether its touch area responds at all (active or blocked).',
  when: 'A switch reacts to a sleeve, or only to a firm press, or a gang does not react to touches.',
  notWhen: 'The switch reacts although nobody touches it: see key_immunity.',
  sideEffects: 'None: it is only shown.',
  guidance: "Set it in the app, in the unit's menu for keys, standing at the switch to try each area.",
  asks: ['Why does the kitchen switch only react when I press hard?', 'Is the second key of the hall module blocked?'],
  explainRank: 8,
  models: ALL,
  gangs: ALL_GANGS,
  coding: ({ scope }) =>
    scope === 'gang'
      ? record({
          touchArea: words('touch_area', { 0: 'blocked', 1: 'active' }, "Whether the gang's touch area responds"),
        })
      : record({
          up: whole('key_sense_up', 1, THRESHOLD_MAX, 'Up area; higher means less sensitive'),
          mode: whole('key_sense_mode', 1, THRESHOLD_MAX, 'Mode area; higher means less sensitive'),
          down: whole('key_sense_down', 1, THRESHOLD_MAX, 'Down area; higher means less sensitive'),
        }),
})
