import { chainOf } from './activity-filter.ts'
import type { ActivityCause, AdminActivityEntry } from './admin-contract.ts'
import { localDevices } from './stores/local-devices.ts'
import { words } from './words/activity.ts'

/** Who or what is behind an entry, nearest first, each in a few words: `scene Dinner`, `Anna`; empty: nothing else is. */
export function causeWords({
  kind,
  cause,
  subject,
  subjectId,
}: Pick<AdminActivityEntry, 'kind' | 'cause' | 'subject' | 'subjectId'>): readonly string[] {
  const [first = cause, ...others] = chainOf(cause)
  // The entry of a rule or scene names what set it off; that it did itself what it did is plain, and so is that a
  // sensor detected what it detected.
  const isItself = kind === 'detection' || (first.source === subject && first.ref === subjectId)
  return (isItself ? others : [first, ...others]).map((each) => ownWords(each, subjectId))
}

function ownWords(cause: ActivityCause, subjectId: string | null): string {
  const name = nameWords(cause, subjectId)
  return cause.confirmedBy === undefined ? name : words.confirmedBy(name, cause.confirmedBy)
}

function nameWords({ source, name, ref }: ActivityCause, subjectId: string | null): string {
  switch (source) {
    case 'automation':
    case 'schedule':
    case 'scene':
      return words[source](name)
    case 'gateway':
      return name === 'gateway' ? words.gateway : name
    case 'unit': {
      const device = ref === undefined || isOfUnit(subjectId, ref) ? undefined : localDevices.value.get(ref)
      return device ? words.atDevice(name, device.name) : name
    }
    case 'person':
    case 'integration':
    case 'agent':
    case 'voice':
    case 'platform':
      return name
  }
}

/** Whether a device is the unit itself or a gang of it. */
const isOfUnit = (device: string | null, unit: string): boolean => device?.split(':')[0] === unit.split(':')[0]
