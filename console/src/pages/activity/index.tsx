import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useId, useMemo } from 'preact/hooks'
import type { AdminActivityEntry } from '../../lib/admin-contract.ts'
import { roomsOf } from '../../lib/house-units.ts'
import { Problem } from '../../parts/action.tsx'
import { News, useHolding, useLastRead } from '../../parts/feed.tsx'
import { Select } from '../../parts/form.tsx'
import { Button, Empty, LinkButton, Page } from '../../parts/page.tsx'
import { ActivityFeed, type FeedQuery, filterIn, SHOWN_MAX } from '../../stores/activity-feed.ts'
import { gatewayTime } from '../../stores/gateway-clock.ts'
import { dayOf, dayWords, endOfDay, homeTime } from '../../stores/home-time.ts'
import { house } from '../../stores/home.ts'
import { integrations } from '../../stores/integrations.ts'
import { localDevices, localRoomOf } from '../../stores/local-devices.ts'
import { words } from '../../words/activity.ts'
import { words as frame } from '../../words/frame.ts'
import { Entry } from './entry.tsx'
import { folded } from './folded-activity.ts'

const DAY_MS = 86_400_000

/** What happened, live and as far back as is kept, with who or what was behind it. */
export function ActivityPage(): JSX.Element {
  const { query } = useLocation()
  const shown = new URLSearchParams(query).toString()
  const feed = useMemo(() => new ActivityFeed(queryIn(query)), [shown])
  useEffect(() => () => feed.close(), [feed])
  return (
    <Page title={frame.activity} beside={<News feed={feed} words={words.news} />}>
      <Filters query={query} />
      {feed.error.value !== null && <Problem error={feed.error.value} onAgain={() => void feed.read()} />}
      <Log feed={feed} isFiltered={shown !== ''} />
    </Page>
  )
}

function Log({ feed: wanted, isFiltered }: { feed: ActivityFeed; isFiltered: boolean }): JSX.Element | null {
  const feed = useLastRead(wanted, wanted.entries.value !== null || wanted.error.value !== null)
  const holding = useHolding(feed)
  const entries = feed.entries.value
  if (entries === null) return feed.error.value === null ? <p class="wait">{frame.loading}</p> : null
  return (
    <div aria-busy={feed !== wanted} {...holding}>
      {entries.length === 0 && feed.nextTo.value === null && (
        <Empty icon="activity" sentence={isFiltered ? words.emptyFiltered : words.empty}>
          {isFiltered && <LinkButton to="/console/activity" says={words.clear} />}
        </Empty>
      )}
      <Days entries={entries} />
      <Older feed={feed} />
    </div>
  )
}

function queryIn(query: Readonly<Record<string, string>>): FeedQuery {
  const { until, range = '' } = query
  const to = until === undefined ? null : endOfDay(until)
  const spanMs = RANGES_MS.get(range)
  return { filter: filterIn(query), from: spanMs === undefined ? null : (to ?? gatewayTime()) - spanMs, to }
}

type Query = Readonly<Record<string, string>>
type Options = readonly (readonly [value: string, name: string])[]

/** How far back each range goes, in milliseconds. */
const RANGES_MS: ReadonlyMap<string, number> = new Map([
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
  ['month', 30 * DAY_MS],
])
/** On a screen this wide there is room for all of them. */
const WIDE = '(width >= 800px)'

/** What of the log is shown. The address has it, so that it can be kept and sent, and Back undoes it. */
function Filters({ query }: { readonly query: Query }): JSX.Element {
  const { route } = useLocation()
  const set = (name: string, value: string): void => {
    const { [name]: _, ...others } = query
    const next = new URLSearchParams(value === '' ? others : { ...others, [name]: value })
    route(`/console/activity${next.size === 0 ? '' : `?${next}`}`)
  }
  const choice = (name: string, label: string, options: Options, all: string = words.all): JSX.Element => (
    <Select
      label={label}
      value={query[name] ?? ''}
      options={[['', all], ...options]}
      onChoose={(value) => set(name, value)}
    />
  )
  const count = Object.keys(query).length
  return (
    <details class="filters" open={window.matchMedia(WIDE).matches}>
      <summary>
        {words.filters}
        {count > 0 && <span class="chip">{count}</span>}
      </summary>
      <div>
        {choice('kind', words.kind, Object.entries(words.kinds))}
        {choice('source', words.source, Object.entries(words.sources), words.anybody)}
        {choice('room', words.room, rooms())}
        {choice('device', words.device, ...devices(query))}
        {choice('integration', words.integration, programs())}
        {choice('range', words.range, Object.entries(words.ranges).slice(1), words.ranges.all)}
        <Day value={query['until'] ?? ''} onChoose={(day) => set('until', day)} />
        {count > 0 && <LinkButton to="/console/activity" says={words.clear} />}
      </div>
    </details>
  )
}

function Day({ value, onChoose }: { value: string; onChoose: (day: string) => void }): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{words.until}</label>
      <input id={id} type="date" value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)} />
    </div>
  )
}

function rooms(): Options {
  const home = house.value
  return (home ? roomsOf(home) : []).map(({ id, name }) => [localRoomOf(id), name])
}

/** Nobody finds one of thousands in a list: where there are more, a room is chosen first. */
const DEVICES_MAX = 300

/** The devices to choose from, and what no choice is called. */
function devices({ room, device: chosen }: Query): readonly [Options, string] {
  const inRoom = [...localDevices.value].filter(([, device]) => room === undefined || device.room === room)
  const isTooMany = inRoom.length > DEVICES_MAX
  const offered = isTooMany ? inRoom.filter(([id]) => id === chosen) : inRoom
  return [offered.map(([id, { name }]) => [id, name]), isTooMany ? words.roomFirst : words.all]
}

const programs = (): Options => (integrations.value ?? []).map(({ id, name }) => [id, name])

/** Entries under their days, by the home's calendar. */
function Days({ entries }: { readonly entries: readonly AdminActivityEntry[] }): JSX.Element {
  const unfolded = useSignal<ReadonlySet<string>>(new Set())
  const days = new Map<string, AdminActivityEntry[]>()
  for (const entry of entries) {
    const day = dayOf(entry.at)
    const ofDay = days.get(day)
    if (ofDay) ofDay.push(entry)
    else days.set(day, [entry])
  }
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} class="day" aria-label={nameOf(day, ofDay)}>
          <h2>{nameOf(day, ofDay)}</h2>
          <ol>
            {folded(ofDay).map((repeats) => (
              <Entry key={repeats.at(-1)?.id} entry={repeats[0]} earlier={repeats.slice(1)} unfolded={unfolded} />
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

function nameOf(day: string, [first]: readonly AdminActivityEntry[]): string {
  const now = gatewayTime()
  if (day === dayOf(now)) return words.today
  return day === dayOf(now - DAY_MS) ? words.yesterday : dayWords(first?.at ?? 0)
}

/** The way further back, where there is more. */
function Older({ feed }: { readonly feed: ActivityFeed }): JSX.Element | null {
  const [nextTo, shown] = [feed.nextTo.value, feed.entries.value?.length ?? 0]
  if (nextTo === null) return null
  if (shown >= SHOWN_MAX) return <p class="muted">{words.full(SHOWN_MAX.toLocaleString())}</p>
  const moment = homeTime(nextTo)
  return (
    <div class="older">
      {shown === 0 && <p class="muted">{words.emptySoFar(moment)}</p>}
      <Button says={words.back(moment)} disabled={feed.isReading.value} onClick={() => void feed.readOlder()} />
    </div>
  )
}
