import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import { devicePath } from '../../lib/page-paths.ts'
import type { ActivityCause, AdminActivityEntry } from '../../lib/admin-contract.ts'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import type { IconName } from '../../parts/icons.ts'
import { Button, Icon } from '../../parts/page.tsx'
import { causeChain } from '../../stores/activity-log.ts'
import { clockWords, inHome, withHomeDays } from '../../stores/home-time.ts'
import { integrations } from '../../stores/integrations.ts'
import { type LocalDevice, localDevices } from '../../stores/local-devices.ts'
import { isAdministrator } from '../../stores/own-session.ts'
import { people } from '../../stores/people.ts'
import { owner } from '../../stores/session.ts'
import { words } from '../../words/activity.ts'
import { capital, words as frame } from '../../words/page-frame.ts'

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

/** Kinds whose text continues the subject as a sentence; others get a colon. */
const SENTENCE_KINDS: readonly AdminActivityEntry['kind'][] = ['state', 'run', 'skipped']

interface EntryProps {
  readonly entry: AdminActivityEntry
  /** Equal entries directly before this one, the newest first. */
  readonly earlier?: readonly AdminActivityEntry[]
  /** Ids of the entries in unfolded groups. */
  readonly unfolded: Signal<ReadonlySet<string>>
}

/** An entry of the activity log, with its causes and equal earlier entries. */
export function Entry({ entry, earlier = [], unfolded }: EntryProps): JSX.Element {
  const { at, kind, what, subject, subjectId } = entry
  const device = subject === 'device' ? localDevices.value.get(subjectId ?? '') : undefined
  const remedy = isAdministrator.value ? remedyOf(entry) : null
  return (
    <li class="entry" data-kind={kind}>
      <time dateTime={new Date(at).toISOString()}>{clockWords(at)}</time>
      <Icon name={ICONS[kind]} />
      <div class="text">
        <p>
          <SubjectName entry={entry} />
          {SENTENCE_KINDS.includes(kind) ? ' ' : ': '}
          {what}
        </p>
        <Cause chain={causeWords(entry)} />
        {remedy && (
          <p>
            <a href={remedy.path}>{remedy.name}</a>
          </p>
        )}
      </div>
      {device && <Why device={device} at={at} />}
      {earlier.length > 0 && (
        <Earlier newest={entry} entries={earlier} unfolded={unfolded}>
          {() => earlier.map((equal) => <Entry key={equal.id} entry={equal} unfolded={unfolded} />)}
        </Earlier>
      )}
    </li>
  )
}

/** Name of the subject, with a link if it has a page. */
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
  if (subject === 'mode') return words.theMode
  const subjectName = name ?? words.removed
  return subject === 'scene' || subject === 'automation' || subject === 'schedule'
    ? capital(words[subject](subjectName))
    : subjectName
}

/** The chain of causes, the nearest first. */
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

/** Page that can lift a refusal; null for other entries. */
function remedyOf({ kind, data, subject, subjectId }: AdminActivityEntry): { path: string; name: string } | null {
  if (kind !== 'refused' || subject !== 'device' || subjectId === null) return null
  const integration = data?.['integration']
  if (typeof integration === 'string')
    return {
      path: `/console/go/integrations.record?integration=${encodeURIComponent(integration)}`,
      name: words.toPermissions,
    }
  return { path: `/console/go/unit.menus?device=${encodeURIComponent(subjectId)}`, name: words.toSettings }
}

/** Causes of an entry, the nearest first: `scene Dinner`, `Anna`. Empty if the subject itself is the only cause. */
function causeWords({
  kind,
  cause,
  subject,
  subjectId,
}: Pick<AdminActivityEntry, 'kind' | 'cause' | 'subject' | 'subjectId'>): readonly string[] {
  const [first = cause, ...rest] = causeChain(cause)
  // Scenes, rules and sensors do not appear as causes of their own entries.
  const isItself = kind === 'detection' || (first.source === subject && first.ref === subjectId)
  return (isItself ? rest : [first, ...rest]).map((link) => ownWords(link, subjectId))
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
    case 'mode':
      return words[source](name)
    case 'gateway':
      return name === 'gateway' ? words.gateway : name
    case 'unit': {
      const device = ref === undefined || isOfUnit(subjectId, ref) ? undefined : localDevices.value.get(ref)
      return device ? words.atDevice(name, device.name) : name
    }
    case 'presence':
      return name === CONSOLE_USED ? words.presenceByConsole : words.presence(personName(ref))
    case 'person':
    case 'integration':
    case 'agent':
    case 'voice':
    case 'platform':
      return name
  }
}

/** Name of the cause of a presence that a console in the home network showed. */
const CONSOLE_USED = 'console'

const personName = (id: string | undefined): string =>
  id === ANYONE ? words.anyone : (people.value?.persons.find((person) => person.id === id)?.name ?? words.removed)

/** Stands for all persons in rules. */
const ANYONE = 'anyone'

/** True if the device is the unit itself or one of its gangs. */
const isOfUnit = (device: string | null, unit: string): boolean => device?.split(':')[0] === unit.split(':')[0]

/** Longest explanation; its first item is the answer. */
const ITEMS_MAX = 4

interface WhyProps {
  readonly device: LocalDevice
  /** The moment to explain, epoch milliseconds. */
  readonly at: number
}

/** Explains the state of a device at a moment. */
function Why({ device, at }: WhyProps): JSX.Element {
  const reasons = useSignal<readonly string[] | null>(null)
  const id = useId()
  const { run, busy, message } = useAction(async () => {
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
        label={words.why}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-disabled={busy}
        onClick={toggle}
      />
      <div id={id} class="reasons" hidden={!isOpen && message === null}>
        <ErrorLine message={message} />
        {isOpen && <Reasons reasons={reasons.value ?? []} device={device} />}
      </div>
    </>
  )
}

function Reasons({ reasons, device }: { reasons: readonly string[]; device: LocalDevice }): JSX.Element {
  return (
    <>
      {reasons.length === 0 ? (
        <p>{words.noReasons}</p>
      ) : (
        reasons.map((reason) => <p key={reason}>{withHomeDays(reason)}</p>)
      )}
      <p>
        <a href={devicePath(device.id)}>{words.toDevice}</a>
      </p>
    </>
  )
}

interface EarlierProps {
  readonly newest: AdminActivityEntry
  readonly entries: readonly AdminActivityEntry[]
  /** Ids of the entries in unfolded groups; new and older members join their group's state. */
  readonly unfolded: Signal<ReadonlySet<string>>
  /** Renders the entries, only after unfolding. */
  readonly children: () => ComponentChildren
}

/** Count of equal entries, with a button to unfold them. */
function Earlier({ newest, entries, unfolded, children }: EarlierProps): JSX.Element {
  const id = useId()
  const ids = [newest, ...entries].map((member) => member.id)
  const isOpen = ids.some((member) => unfolded.value.has(member))
  const toggle = (): void => {
    const rest = [...unfolded.value].filter((member) => !ids.includes(member))
    unfolded.value = new Set(isOpen ? rest : [...rest, ...ids])
  }
  const [oldest = newest] = entries.slice(-1)
  return (
    <>
      <Button
        class="quiet times"
        label={words.times(ids.length, inHome(oldest.at, { hour: '2-digit', minute: '2-digit' }))}
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
