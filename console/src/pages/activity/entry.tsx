import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { devicePath } from '../../lib/addresses.ts'
import type { ActivityCause, AdminActivityEntry } from '../../lib/admin-contract.ts'
import { Icon } from '../../parts/icon.tsx'
import type { IconName } from '../../parts/icons.ts'
import { chainOf } from '../../stores/activity-feed.ts'
import { clockWords } from '../../stores/home-time.ts'
import { integrations } from '../../stores/integrations.ts'
import { localDevices } from '../../stores/local-devices.ts'
import { words } from '../../words/activity.ts'
import { capital, words as frame } from '../../words/frame.ts'
import { Earlier } from './earlier.tsx'
import { Why } from './why.tsx'

const ICONS: Readonly<Record<AdminActivityEntry['kind'], IconName>> = {
  state: 'power',
  failed: 'alert',
  refused: 'ban',
  skipped: 'ban',
  run: 'play',
  edited: 'edit',
  setting: 'tune',
  detection: 'motion',
  unit: 'unreachable',
  link: 'remote',
  access: 'key',
}

/** What reads on as a sentence; of the others the name stands before it. */
const DOES: readonly AdminActivityEntry['kind'][] = ['state', 'run', 'skipped']

interface EntryProps {
  readonly entry: AdminActivityEntry
  /** The same, as often as it happened before with nothing else between, the newest first. */
  readonly earlier?: readonly AdminActivityEntry[]
  /** Ids of what is unfolded. */
  readonly unfolded: Signal<ReadonlySet<string>>
}

/** One thing that happened: when, to what, what, and through whom; and how often before. */
export function Entry({ entry, earlier = [], unfolded }: EntryProps): JSX.Element {
  const { at, kind, what, subject, subjectId } = entry
  const device = subject === 'device' ? localDevices.value.get(subjectId ?? '') : undefined
  const mend = mendingOf(entry)
  return (
    <li class="entry" data-kind={kind}>
      <time dateTime={new Date(at).toISOString()}>{clockWords(at)}</time>
      <Icon of={ICONS[kind]} />
      <div class="said">
        <p>
          <SubjectName entry={entry} />
          {DOES.includes(kind) ? ' ' : ': '}
          {what}
        </p>
        <Cause chain={causeWords(entry)} />
        {mend && (
          <p>
            <a href={mend.path}>{mend.name}</a>
          </p>
        )}
      </div>
      {device && <Why device={device} at={at} />}
      {earlier.length > 0 && (
        <Earlier newest={entry} entries={earlier} unfolded={unfolded}>
          {() => earlier.map((each) => <Entry key={each.id} entry={each} unfolded={unfolded} />)}
        </Earlier>
      )}
    </li>
  )
}

/** What it is about, with the way there where there is a page of it. */
function SubjectName({ entry: { subject, subjectId, name } }: { readonly entry: AdminActivityEntry }): JSX.Element {
  const device = subject === 'device' ? localDevices.value.get(subjectId ?? '') : undefined
  if (device) return <a href={devicePath(device.id)}>{device.name}</a>
  if (subject === 'integration') {
    const isThere = integrations.value?.some(({ id }) => id === subjectId) ?? false
    if (isThere) return <a href={`/console/access/${subjectId}`}>{name}</a>
    return <strong>{name ?? frame.access}</strong>
  }
  return <strong>{nameOf(subject, name)}</strong>
}

function nameOf(subject: string, name: string | null): string {
  if (subject === 'home') return words.theHome
  const known = name ?? words.gone
  return subject === 'scene' || subject === 'automation' || subject === 'schedule'
    ? capital(words[subject](known))
    : known
}

/** Who or what was behind it, and what set that off. */
function Cause({ chain }: { readonly chain: readonly string[] }): JSX.Element | null {
  if (chain.length === 0) return null
  return (
    <p class="cause">
      {chain.map((link, at) => (
        <span key={at}>
          {at > 0 && (
            <>
              {' '}
              <span aria-hidden="true">←</span>
              <span class="unseen"> {words.setOffBy}</span>{' '}
            </>
          )}
          {link}
        </span>
      ))}
    </p>
  )
}

/** Where it is changed what kept something from happening. */
function mendingOf({ kind, data, subject, subjectId }: AdminActivityEntry): { path: string; name: string } | null {
  if (kind !== 'refused' || subject !== 'device' || subjectId === null) return null
  const integration = data?.['integration']
  if (typeof integration === 'string')
    return {
      path: `/console/go/integrations.record?integration=${encodeURIComponent(integration)}`,
      name: words.whatItMay,
    }
  return { path: `/console/go/unit.menus?device=${encodeURIComponent(subjectId)}`, name: words.settings }
}

/** Who or what is behind an entry, nearest first, each in a few words: `scene Dinner`, `Anna`; empty: nothing else is. */
function causeWords({
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
