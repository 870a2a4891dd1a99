import type { CauseView } from '../../../src/home/words/causes.ts'

/** A view that shows the given things, each under its own name. */
export function viewOf(
  names: Partial<
    Record<
      'device' | 'scene' | 'automation' | 'schedule' | 'mode' | 'person' | 'calendar' | 'room',
      Readonly<Record<string, string>>
    >
  >,
  integration = 'me',
): CauseView {
  const find = (kind: keyof typeof names) => (id: string) => names[kind]?.[id] ?? null
  return {
    integration,
    device: find('device'),
    scene: find('scene'),
    place: () => null,
    automation: find('automation'),
    schedule: find('schedule'),
    mode: find('mode'),
    person: find('person'),
    rule: () => null,
    calendar: find('calendar'),
    actor: (name) => name,
    memberOf: () => null,
    showsSettings: true,
  }
}
