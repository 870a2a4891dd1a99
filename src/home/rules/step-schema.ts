import * as z from 'zod'
import { AC_MODES, ARGS_OF, SETTABLE_MODES } from '../model/device.ts'
import { type PartPath, partsOf } from '../model/rule-parts.ts'
import {
  CONDITION_DEPTH_MAX,
  CONDITIONS_MAX,
  DELAY_SECONDS_MAX,
  DELAY_SECONDS_MIN,
  EVERY_SECONDS_MAX,
  type GroupStep,
  type Step,
  STEP_DEPTH_MAX,
  STEPS_MAX,
  TELL_CHARACTERS_MAX,
  TELL_TO,
  TIMES_MAX,
  WAIT_ENDS,
  WAIT_SECONDS_MAX,
} from '../model/rules.ts'
import { CHANGE_ARGS, parseStepCommand, RANDOM_SECONDS_MAX, STEP_OPERATIONS } from '../model/steps.ts'
import { plainText } from '../../lib/plain-text.ts'
import { URGENCIES } from '../model/recipients.ts'
import { hasKnownPlaceholders, PLACEHOLDERS } from '../model/tell.ts'
import { conditionSchema, form, modeId, reference } from './condition-schema.ts'
import { hasOnePlace, movedGroup, ONE_PLACE } from './group-schema.ts'

/** The body shapes of steps (docs/automations.md#steps). */
const withArgs = <O extends keyof typeof ARGS_OF>(
  op: O,
  id: string,
  device: string,
  args: z.input<(typeof ARGS_OF)[O]>,
) =>
  z
    .strictObject({ device: reference, op: z.literal(op), args: ARGS_OF[op] })
    .meta(form(id, `The operation ${op} of a device.`, { device, op, args }))

const changeStep = <O extends keyof typeof CHANGE_ARGS>(op: O, id: string, device: string, by: number) =>
  z
    .strictObject({ device: reference, op: z.literal(op), args: CHANGE_ARGS[op] })
    .meta(form(id, `The operation ${op} by an amount from the confirmed state.`, { device, op, args: { by } }))

/** Operations without arguments accept an empty object or null, for clients that always send arguments. */
const noArgs = z
  .strictObject({})
  .meta({ description: 'An empty object, for clients that always send arguments.' })
  .nullish()

/**
 * One operation on a device, with the arguments of Spec 2.4, or a change from its confirmed state.
 */
const deviceSteps = [
  withArgs('set_power', 'SetPowerStep', 'hall-light', { on: true }),
  withArgs('set_brightness', 'SetBrightnessStep', 'living-lamp', { bri: 30 }),
  withArgs('set_position', 'SetPositionStep', 'bedroom-shutter', { pos: 50 }),
  withArgs('set_mode', 'SetModeStep', 'hall-light', { mode: 'auto' }),
  withArgs('set_temp', 'SetTempStep', 'bedroom-ac', { temp: 21.5 }),
  withArgs('set_ac_mode', 'SetAcModeStep', 'bedroom-ac', { mode: 'cool' }),
  withArgs('set_fan', 'SetFanStep', 'bedroom-ac', { fan: 'low' }),
  withArgs('key', 'KeyStep', 'living-remote', { key: 'power' }),
  z
    .strictObject({
      device: reference,
      op: z.literal(['open', 'close', 'stop']).meta({ description: 'The operation.' }),
      args: noArgs,
    })
    .meta(
      form('MoveStep', 'The operation open, close or stop of a device.', { device: 'bedroom-shutter', op: 'close' }),
    )
    .transform(({ device, op }) => ({ device, op })),
  changeStep('set_brightness', 'ChangeBrightnessStep', 'living-lamp', -20),
  changeStep('set_position', 'ChangePositionStep', 'bedroom-shutter', 30),
  changeStep('set_temp', 'ChangeTempStep', 'bedroom-ac', -0.5),
  z
    .strictObject({ device: reference, op: z.literal('toggle'), args: noArgs })
    .meta(
      form('ToggleStep', 'Turns a device on if it is off, else off; opens a closed cover, else closes.', {
        device: 'hall-light',
        op: 'toggle',
      }),
    )
    .transform(({ device, op }) => ({ device, op })),
] as const
/** Arguments of every operation; the operation decides which it takes. */
const groupArgs = () =>
  z
    .strictObject({
      ...ARGS_OF.set_power.shape,
      ...ARGS_OF.set_brightness.shape,
      ...ARGS_OF.set_position.shape,
      ...ARGS_OF.set_temp.shape,
      ...ARGS_OF.set_fan.shape,
      ...ARGS_OF.key.shape,
      mode: z
        .literal([...new Set([...SETTABLE_MODES, ...AC_MODES])])
        .meta({ description: 'The mode, of set_mode or set_ac_mode.' }),
      by: z.number().meta({ description: 'A change in percent, or in degrees Celsius for set_temp; negative: less.' }),
    })
    .partial()
    .meta({ description: 'The arguments of the operation, as in a step for one device.' })
    .nullish()
const groupStep = () =>
  z
    .strictObject({
      ...movedGroup(),
      op: z.literal(STEP_OPERATIONS).meta({ description: 'The operation, for the devices that take it.' }),
      args: groupArgs(),
    })
    .refine(hasOnePlace, ONE_PLACE)
    .transform(({ op, args, ...target }, context): GroupStep => {
      const command = parseStepCommand(op, args)
      if (command.ok) return { ...target, ...command.value }
      const { field, message } = command.error
      context.issues.push({ code: 'custom', input: args, path: ['args', ...(field === '' ? [] : [field])], message })
      return z.NEVER
    })
const groupStepSchema = z.lazy(groupStep).meta(
  form('GroupStep', 'One operation of the devices of a group; it opens no lock or gate.', {
    group: 'light',
    room: 'kitchen',
    op: 'set_power',
    args: { on: false },
  }),
)
const delayStepSchema = z
  .strictObject({
    delay: z
      .number()
      .min(DELAY_SECONDS_MIN)
      .max(DELAY_SECONDS_MAX)
      .meta({ description: 'Seconds to wait before the next step.' }),
    random: z
      .number()
      .min(DELAY_SECONDS_MIN)
      .max(RANDOM_SECONDS_MAX)
      .optional()
      .meta({ description: 'Up to so many seconds more, by chance anew in each run.' }),
  })
  .meta(form('DelayStep', 'A pause before the next step.', { delay: 60, random: 120 }))
const runSceneStepSchema = z
  .strictObject({ scene: reference })
  .meta(form('RunSceneStep', 'Starts a scene and continues at once.', { scene: 'movie-night' }))
const modeStepSchema = z
  .strictObject({ mode: modeId })
  .meta(form('ModeStep', 'Sets the mode of the home for good.', { mode: 'night' }))

/** A step of a scene. */
export const sceneStepSchema = z
  .union([...deviceSteps, delayStepSchema])
  .meta({ id: 'SceneStep', description: 'One operation on a device, or a delay.' })

/** Getters and functions, because a step may hold steps. */
const innerSteps = (): z.ZodArray<z.ZodType<Step>> =>
  z.array(stepSchema).min(1).meta({ description: 'Steps inside it, in order.' })
const innerConditions = (description: string) => z.array(conditionSchema).min(1).meta({ description })

const branchStepSchema = z
  .strictObject({
    if: innerConditions('All of them must hold when the run comes to this step.'),
    get then(): z.ZodArray<z.ZodType<Step>> {
      return innerSteps()
    },
    get else(): z.ZodOptional<z.ZodArray<z.ZodType<Step>>> {
      return innerSteps().optional()
    },
  })
  .meta(
    form('BranchStep', 'Performs `then` if the conditions hold at that moment, otherwise `else`.', {
      if: [{ sun: 'down' }],
      then: [{ scene: 'movie-night' }],
      else: [{ device: 'hall-light', op: 'toggle' }],
    }),
  )
const waitStepSchema = z
  .strictObject({
    wait: innerConditions('It waits until all of them hold.'),
    timeout: z.number().min(1).max(WAIT_SECONDS_MAX).meta({ description: 'Seconds that it waits at most.' }),
    else: z
      .literal(WAIT_ENDS)
      .optional()
      .meta({ id: 'WaitEnd', description: 'At the timeout: go on with the next step (the default), or stop the run.' }),
  })
  .meta(
    form('WaitStep', 'Waits until the conditions hold.', {
      wait: [{ device: 'front-door', state: 'locked', is: true }],
      timeout: 600,
      else: 'stop',
    }),
  )
const repeatStepSchema = z
  .strictObject({
    get repeat(): z.ZodArray<z.ZodType<Step>> {
      return innerSteps()
    },
    every: z.number().min(1).max(EVERY_SECONDS_MAX).meta({ description: 'Seconds after each round.' }),
    until: innerConditions(
      'It ends once all of them hold before a round; if they never do, the step fails.',
    ).optional(),
    times: z.int().min(1).max(TIMES_MAX).meta({ description: 'Most rounds.' }),
  })
  .meta(
    form('RepeatStep', 'Performs its steps again and again.', {
      repeat: [{ device: 'hall-light', op: 'toggle' }],
      every: 60,
      until: [{ sun: 'up' }],
      times: 20,
    }),
  )

const restoreStepSchema = z
  .strictObject({
    restore: z
      .boolean()
      .refine((value) => value, 'must be true')
      .meta({ description: 'Always true.' }),
  })
  .meta(
    form('RestoreStep', 'Returns each device that the run changed to its earlier state, unless somebody acted since.', {
      restore: true,
    }),
  )

const tellStepSchema = z
  .strictObject({
    tell: plainText(TELL_CHARACTERS_MAX)
      .refine(hasKnownPlaceholders, `takes only ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')} in braces`)
      .meta({
        description:
          'The text, with {device}, {room} and {value} of the trigger and its {time}. Longer texts are cut when filled.',
      }),
    to: z.literal(TELL_TO).meta({
      id: 'TellTo',
      description: 'home: the people of the home; everyone: also programs that see the things of the rule.',
    }),
    urgency: z.literal(URGENCIES).optional().meta({
      id: 'TellUrgency',
      description: 'Default: normal, which quiet hours hold. An alarm is repeated until somebody acknowledges it.',
    }),
  })
  .meta(
    form('TellStep', 'Sends a message to people.', {
      tell: 'The bins go out tomorrow',
      to: 'everyone',
      urgency: 'normal',
    }),
  )

const ruleStepSchema = z
  .strictObject({
    rule: reference.meta({ description: 'The id of an automation or schedule.' }),
    enabled: z.boolean().meta({ description: 'True: it runs by itself from now on. False: it does not.' }),
  })
  .meta(
    form('RuleStep', 'Switches an automation or schedule on or off, which is an edit of it.', {
      rule: 'automation:curtain-at-dusk',
      enabled: false,
    }),
  )

/** A step of an automation or schedule: these may also run a scene, set the mode, decide, wait, repeat and tell. */
export const stepSchema = z
  .union([
    ...deviceSteps,
    delayStepSchema,
    runSceneStepSchema,
    modeStepSchema,
    branchStepSchema,
    waitStepSchema,
    repeatStepSchema,
    restoreStepSchema,
    tellStepSchema,
    ruleStepSchema,
    groupStepSchema,
  ])
  .meta({
    id: 'Step',
    description:
      'One operation on a device or a group, a delay, a scene to run, a mode to set, a message, a switch of a rule, or a step with others inside.',
  })

export const sceneStepsSchema = z.array(sceneStepSchema).max(STEPS_MAX).meta({ description: 'Its steps, in order.' })

/** The steps of a rule. Steps and conditions inside others count too. */
export const steps = z
  .array(stepSchema)
  .min(1)
  .max(STEPS_MAX)
  .check(({ value, issues }) => {
    const refused = (path: PartPath, message: string): void =>
      void issues.push({ code: 'custom', input: value, path: path.slice(1), message })
    const places = [...partsOf({ then: value })]
    const inner = places.filter(({ kind }) => kind === 'step')
    if (inner.length > STEPS_MAX) refused([], `must hold at most ${STEPS_MAX}, those inside others included`)
    const tests = places.filter(({ kind }) => kind === 'condition')
    if (tests.length > CONDITIONS_MAX) refused([], `must hold at most ${CONDITIONS_MAX} conditions`)
    const around = (path: PartPath, forms: readonly string[]): number =>
      path.slice(1).filter((key) => forms.includes(String(key))).length
    const tooDeep = inner.find(({ path }) => around(path, ['then', 'else', 'repeat']) > STEP_DEPTH_MAX)
    if (tooDeep) refused(tooDeep.path, `is inside more than ${STEP_DEPTH_MAX} of if and repeat`)
    const deepTest = tests.find(({ path }) => around(path, ['any', 'all', 'not']) > CONDITION_DEPTH_MAX)
    if (deepTest) refused(deepTest.path, `is inside more than ${CONDITION_DEPTH_MAX} of any, all and not`)
  })
  .meta({ description: 'Its steps, in order.' })
