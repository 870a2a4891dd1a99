import type { DeviceClass } from '../model/device.ts'
import type { GroupWord } from '../model/groups.ts'
import { BUILT_IN_MODES } from '../model/modes.ts'
import { firstMissingMode, firstMissingPerson, partsOf, type Referring } from '../model/rule-parts.ts'
import type { AutomationDraft, RuleKind, ScheduleDraft } from '../model/rules.ts'
import type { KnownDevice } from './possible.ts'
import { problemWith } from './problems.ts'

/** A place in a draft that the home has to fill: the draft names it `$sensor`. */
export interface Blank {
  readonly name: string
  readonly kind: 'device' | 'scene' | 'room' | 'person' | 'calendar' | 'rule'
  readonly text: string
  /** Only of devices, and of rooms with such devices; missing: all that the draft fits. */
  readonly group?: GroupWord
  readonly classes?: readonly DeviceClass[]
}

type Body<D> = Partial<D> & { readonly name: string }

/** A draft for a job that many homes have, with blanks. */
export interface Starter {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly kind: RuleKind
  readonly blanks: readonly Blank[]
  readonly draft: Body<AutomationDraft> | Body<ScheduleDraft>
}

const device = (name: string, text: string, more: Pick<Blank, 'group' | 'classes'> = {}): Blank => ({
  ...{ name, text, kind: 'device' },
  ...more,
})
const room = (text: string, group: GroupWord): Blank => ({ name: 'room', kind: 'room', text, group })
const turn = (on: boolean) => ({ op: 'set_power', args: { on } }) as const
const power = (name: string, on: boolean) => ({ device: name, ...turn(on) })

/** Starters, in the order of reading. */
export const STARTERS: readonly Starter[] = [
  {
    id: 'motion-light',
    name: 'Light on motion',
    text: 'Turns a light on in the dark when somebody comes, and off after three minutes without motion. A light that somebody switched stays.',
    kind: 'automation',
    blanks: [device('sensor', 'Sensor that detects motion'), device('light', 'Light', { group: 'light' })],
    draft: {
      name: 'Light on motion',
      when: [{ device: '$sensor', detection: 'motion' }],
      if: [{ sun: 'down' }, { device: '$light', state: 'on', is: false }],
      then: [
        power('$light', true),
        { wait: [{ not: { device: '$sensor', detection: 'motion', within: 180 } }], timeout: 14_400 },
        { restore: true },
      ],
      mode: 'single',
    },
  },
  {
    id: 'somebody-leaves',
    name: 'Somebody leaves',
    text: 'Tells everyone when a person has left the home.',
    kind: 'automation',
    blanks: [{ name: 'person', kind: 'person', text: 'Person, or anyone for the last one who leaves' }],
    draft: {
      name: 'Somebody leaves',
      when: [{ person: '$person', is: 'away', for: 60 }],
      then: [{ tell: 'Away from home since {time}', to: 'everyone' }],
    },
  },
  {
    id: 'washing-done',
    name: 'Washing is done',
    text: 'Tells everyone when a washing machine, dishwasher or dryer has finished.',
    kind: 'automation',
    blanks: [device('machine', 'Switch that measures the machine', { group: 'socket' })],
    draft: {
      name: 'Washing is done',
      when: [{ device: '$machine', reading: 'power', below: 5, for: 180 }],
      if: [{ device: '$machine', reading: 'power', above: 10, within: 600 }],
      then: [{ tell: '{device} has finished', to: 'everyone' }],
    },
  },
  {
    id: 'gate-open',
    name: 'Garage or gate left open',
    text: 'Tells everyone when a gate has been open for ten minutes, and again each half hour until it is closed.',
    kind: 'automation',
    blanks: [device('gate', 'Gate', { classes: ['gate'] })],
    draft: {
      name: 'Gate left open',
      when: [{ device: '$gate', state: 'pos', above: 0, for: 600 }],
      then: [
        {
          repeat: [{ tell: '{device} is still open', to: 'everyone', urgency: 'high' }],
          every: 1_800,
          until: [{ device: '$gate', state: 'pos', is: 0 }],
          times: 10,
        },
      ],
      mode: 'restart',
    },
  },
  {
    id: 'low-battery',
    name: 'Low battery',
    text: 'Tells administrators when the battery of any unit falls below 15 %.',
    kind: 'automation',
    blanks: [],
    draft: {
      name: 'Low battery',
      when: [{ group: 'any', reading: 'battery', below: 15 }],
      then: [{ tell: '{device} ({room}): its battery has {value} left', to: 'administrators' }],
      mode: 'queued',
    },
  },
  {
    id: 'all-away',
    name: 'Lights off when everybody has left',
    text: 'Turns all lights off ten minutes after the last person has left. Sockets stay as they are.',
    kind: 'automation',
    blanks: [],
    draft: {
      name: 'Lights off when everybody has left',
      when: [{ person: 'anyone', is: 'away', for: 600 }],
      then: [{ group: 'light', ...turn(false) }],
    },
  },
  {
    id: 'dusk-lights',
    name: 'Lights at dusk',
    text: 'Turns the lights of a room on at dusk if somebody is home.',
    kind: 'schedule',
    blanks: [room('Room with lights', 'light')],
    draft: {
      name: 'Lights at dusk',
      at: { sun: 'dusk' },
      if: [{ person: 'anyone', is: 'home' }],
      then: [{ group: 'light', room: '$room', ...turn(true) }],
    },
  },
  {
    id: 'vacation-lights',
    name: 'Lights while on vacation',
    text: 'In the mode vacation the lights of a room are on for two to three hours each evening, from a different minute each day.',
    kind: 'schedule',
    blanks: [room('Room with lights', 'light')],
    draft: {
      name: 'Lights while on vacation',
      at: { sun: 'sunset', random: 60 },
      if: [{ mode: ['vacation'] }],
      then: [
        { group: 'light', room: '$room', ...turn(true) },
        { delay: 3_600, random: 3_600 },
        { delay: 3_600 },
        { group: 'light', room: '$room', ...turn(false) },
      ],
    },
  },
  {
    id: 'wake-up-light',
    name: 'Wake-up light',
    text: 'Makes a lamp brighter from 06:30 on, for twenty minutes, from Monday to Friday.',
    kind: 'schedule',
    blanks: [device('lamp', 'Lamp that can be dimmed', { classes: ['light_dimmer'] })],
    draft: {
      name: 'Wake-up light',
      at: { time: '06:30' },
      days: [1, 2, 3, 4, 5],
      then: [
        { device: '$lamp', op: 'set_brightness', args: { bri: 1 } },
        { repeat: [{ device: '$lamp', op: 'set_brightness', args: { by: 5 } }], every: 60, times: 20 },
      ],
    },
  },
  {
    id: 'good-night-key',
    name: 'Good night by a key',
    text: 'Runs a scene when a key is held for two seconds.',
    kind: 'automation',
    blanks: [device('switch', 'Wall switch with keys'), { name: 'scene', kind: 'scene', text: 'Scene to run' }],
    draft: {
      name: 'Good night by a key',
      when: [{ device: '$switch', touch: 'down', press: 'long' }],
      then: [{ scene: '$scene' }],
    },
  },
  {
    id: 'bathroom-fan',
    name: 'Bathroom fan',
    text: 'Runs a fan while the air is humid, at most an hour.',
    kind: 'automation',
    blanks: [
      device('sensor', 'Sensor of humidity'),
      device('fan', 'Switch of the fan', { classes: ['switch_gang', 'light_switch', 'power_switch', 'sense_switch'] }),
    ],
    draft: {
      name: 'Bathroom fan',
      when: [{ device: '$sensor', reading: 'humidity', above: 65, for: 60 }],
      then: [
        power('$fan', true),
        { wait: [{ device: '$sensor', reading: 'humidity', below: 60 }], timeout: 3_600 },
        power('$fan', false),
      ],
    },
  },
  {
    id: 'heating-except-holidays',
    name: 'Heating except on holidays',
    text: 'Sets a heating to 21 degrees at 06:30 from Monday to Friday, but not on the days of a calendar.',
    kind: 'schedule',
    blanks: [
      device('heating', 'Heating or air conditioner', { group: 'climate' }),
      { name: 'calendar', kind: 'calendar', text: 'Calendar of holidays' },
    ],
    draft: {
      name: 'Heating except on holidays',
      at: { time: '06:30' },
      days: [1, 2, 3, 4, 5],
      if: [{ not: { calendar: '$calendar' } }],
      then: [{ device: '$heating', op: 'set_temp', args: { temp: 21 } }],
    },
  },
  {
    id: 'guest-mode',
    name: 'Rule off while guests are here',
    text: 'Switches a rule off in the mode guest, and on in each other mode of every home.',
    kind: 'automation',
    blanks: [{ name: 'rule', kind: 'rule', text: 'Automation or schedule that guests do not need' }],
    draft: {
      name: 'Rule off while guests are here',
      when: BUILT_IN_MODES.map(({ id: mode }) => ({ mode })),
      then: [
        {
          if: [{ mode: ['guest'] }],
          then: [{ rule: '$rule', enabled: false }],
          else: [{ rule: '$rule', enabled: true }],
        },
      ],
    },
  },
]

/** Modes and persons that a home shows. */
interface Shown {
  showsMode(id: string): boolean
  showsPerson(id: string): boolean
}

/** True if a reader sees every mode and person that the draft names, apart from its blanks. */
export function isOffered({ draft }: Starter, view: Shown): boolean {
  return (
    firstMissingMode(draft, (mode) => view.showsMode(mode)) === null &&
    firstMissingPerson(draft, (person) => person.startsWith('$') || view.showsPerson(person)) === null
  )
}

/** True if the parts of a draft that name this blank fit a device. */
export function fitsBlank(blank: Blank, { draft }: Starter, known: KnownDevice): boolean {
  const named = `$${blank.name}`
  const its = [...partsOf(draft)].filter(({ part }) => 'device' in part && part.device === named)
  const of = (kind: string): never[] => its.flatMap((placed) => (placed.kind === kind ? [placed.part] : [])) as never[]
  const parts: Referring = { when: of('trigger'), if: of('condition'), steps: of('step') }
  return problemWith(parts, () => known) === null
}
