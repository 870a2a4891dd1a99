import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import { devicePath } from '../../lib/addresses.ts'
import type { ActivityCause, AdminActivityEntry } from '../../lib/admin-contract.ts'
import { Said, useAction } from '../../parts/action.tsx'
import type { IconName } from '../../parts/icons.ts'
import { Button, Icon } from '../../parts/page.tsx'
import { chainOf } from '../../stores/activity-feed.ts'
import { clockWords, inHome, withHomeDays } from '../../stores/home-time.ts'
import { integrations } from '../../stores/integrations.ts'
import { type LocalDevice, localDevices } from '../../stores/local-devices.ts'
import { owner } from '../../stores/session.ts'
import { words } from '../../words/activity.ts'
import { capital, words as frame } from '../../words/frame.ts'

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
    <p class="fine">
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

/** What is told of a device at most: the first item is the answer, the others add to it. */
const ITEMS_MAX = 4

interface WhyProps {
  readonly device: LocalDevice
  /** The moment that is asked about, epoch milliseconds. */
  readonly at: number
}

/** Explains, from what was known then, why a device was as it was. */
function Why({ device, at }: WhyProps): JSX.Element {
  const reasons = useSignal<readonly string[] | null>(null)
  const id = useId()
  const { run, busy, said } = useAction(async () => {
    const { items } = await owner.call('get', '/v1/devices/{id}/explain', {
      path: { id: device.id },
      query: { to: at + 1 },
    })
    reasons.value = items.slice(0, ITEMS_MAX).map(({ what }) => what)
  })
  const isOpen = reasons.value !== null
  const toggle = (): void => {
    if (isOpen) reasons.value = null
    else void run()
  }
  return (
    <>
      <Button
        class="quiet why"
        says={words.why}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-disabled={busy}
        onClick={toggle}
      />
      <div id={id} class="reasons" hidden={!isOpen && said === null}>
        <Said of={said} />
        {isOpen && <Reasons reasons={reasons.value ?? []} device={device} />}
      </div>
    </>
  )
}

function Reasons({ reasons, device }: { reasons: readonly string[]; device: LocalDevice }): JSX.Element {
  return (
    <>
      {reasons.length === 0 ? <p>{words.none}</p> : reasons.map((reason) => <p key={reason}>{withHomeDays(reason)}</p>)}
      <p>
        <a href={devicePath(device.id)}>{words.moreOfDevice}</a>
      </p>
    </>
  )
}

interface EarlierProps {
  readonly newest: AdminActivityEntry
  readonly entries: readonly AdminActivityEntry[]
  /** Ids of what is unfolded: what happens anew, or is read further back, joins it as it is. */
  readonly unfolded: Signal<ReadonlySet<string>>
  /** The entries themselves, made only once they are unfolded. */
  readonly children: () => ComponentChildren
}

/** How often the same happened before, and each of them once that is asked for. */
function Earlier({ newest, entries, unfolded, children }: EarlierProps): JSX.Element {
  const id = useId()
  const ids = [newest, ...entries].map((each) => each.id)
  const isOpen = ids.some((each) => unfolded.value.has(each))
  const toggle = (): void => {
    const others = [...unfolded.value].filter((each) => !ids.includes(each))
    unfolded.value = new Set(isOpen ? others : [...others, ...ids])
  }
  const [oldest = newest] = entries.slice(-1)
  return (
    <>
      <Button
        class="quiet times"
        says={words.times(ids.length, inHome(oldest.at, { hour: '2-digit', minute: '2-digit' }))}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={toggle}
      />
      <ol id={id} class="earlier" hidden={!isOpen}>
        {isOpen && children()}
      </ol>
    </>
  )
}
