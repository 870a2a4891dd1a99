import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import { filterIn } from '../../activity-filter.ts'
import { gatewayTime } from '../../stores/gateway-clock.ts'
import { endOfDay } from '../../stores/home-time.ts'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { ActivityFeed, type FeedQuery } from '../../stores/activity-feed.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/activity.ts'
import { Days } from './days.tsx'
import { Filters, RANGES_MS } from './filters.tsx'
import { Older } from './older.tsx'
import { useHolding } from './use-holding.ts'

/** What happened, live and as far back as is kept, with who or what was behind it. */
export function ActivityPage(): JSX.Element {
  const { query } = useLocation()
  const shown = new URLSearchParams(query).toString()
  const feed = useMemo(() => new ActivityFeed(queryIn(query)), [shown])
  useEffect(() => () => feed.close(), [feed])
  return (
    <Page title={frame.activity} beside={<News feed={feed} />}>
      <Filters query={query} />
      {feed.error.value !== null && <Problem error={feed.error.value} onAgain={() => void feed.read()} />}
      <Log feed={feed} />
    </Page>
  )
}

function Log({ feed }: { readonly feed: ActivityFeed }): JSX.Element | null {
  const holding = useHolding(feed)
  const entries = feed.entries.value
  if (entries === null) return feed.error.value === null ? <p class="wait">{frame.loading}</p> : null
  return (
    <div {...holding}>
      {entries.length === 0 && feed.nextTo.value === null && <Empty icon="activity" sentence={words.empty} />}
      <Days entries={entries} />
      <Older feed={feed} />
    </div>
  )
}

/** What came while somebody reads; it is shown when they want it. */
function News({ feed }: { readonly feed: ActivityFeed }): JSX.Element | null {
  const count = feed.held.value.length
  if (count === 0) return null
  const show = (): void => {
    window.scrollTo({ top: 0 })
    feed.showHeld()
  }
  return (
    <button type="button" class="main news" onClick={show}>
      {words.news(count)}
    </button>
  )
}

function queryIn(query: Readonly<Record<string, string>>): FeedQuery {
  const { until, range = '' } = query
  const to = until === undefined ? null : endOfDay(until)
  const spanMs = RANGES_MS[range]
  return { filter: filterIn(query), from: spanMs === undefined ? null : (to ?? gatewayTime()) - spanMs, to }
}
