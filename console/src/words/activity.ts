import type { ActivityCause, AdminActivityEntry } from '../admin-contract.ts'

type Words<Keys extends string> = Readonly<Record<Keys, string>>

const kinds: Words<AdminActivityEntry['kind']> = {
  state: 'Changes of devices',
  failed: 'Failures',
  refused: 'Refusals',
  skipped: 'Runs that did not happen',
  run: 'Runs',
  edited: 'Edits',
  setting: 'Settings of units',
  detection: 'Detections',
  unit: 'Units lost and back',
  link: 'Radio line',
  access: 'Access',
}

const sources: Words<ActivityCause['source']> = {
  person: 'People',
  automation: 'Automations',
  schedule: 'Schedules',
  scene: 'Scenes',
  integration: 'Programs',
  agent: 'Agents',
  voice: 'Voice assistants',
  platform: 'Platforms',
  unit: 'The unit itself, or a hand at it',
  gateway: 'The gateway',
}

/** Texts of the page of the activity log. */
export const words = {
  all: 'all',
  anybody: 'anybody',
  atDevice: (what: string, device: string): string => `${what} at ${device}`,
  automation: (name: string): string => `automation ${name}`,
  back: (moment: string): string => `Look further back than ${moment}`,
  clear: 'Show everything',
  confirmedBy: (name: string, by: string): string => `${name}, confirmed by ${by}`,
  device: 'Device',
  empty: 'Nothing happened yet that fits.',
  emptySoFar: (moment: string): string => `Nothing that fits since ${moment}.`,
  filters: 'Filter',
  full: (count: string): string => `${count} entries are shown. Name a day or a filter above to look further back.`,
  gateway: 'the gateway',
  gone: 'something that is gone',
  integration: 'Integration',
  kind: 'What',
  kinds,
  moreOfDevice: 'To the device',
  none: 'Nothing is known about it any more.',
  news: (count: number): string => `${count} new`,
  range: 'Time',
  ranges: { all: 'all that is kept', day: 'last 24 hours', week: 'last 7 days', month: 'last 30 days' },
  room: 'Room',
  scene: (name: string): string => `scene ${name}`,
  schedule: (name: string): string => `schedule ${name}`,
  setOffBy: 'set off by',
  settings: 'To its settings',
  source: 'Who',
  sources,
  theHome: 'The home',
  today: 'Today',
  until: 'Until the day',
  whatItMay: 'What it may do',
  why: 'Why?',
  yesterday: 'Yesterday',
} as const
