import type { JSX } from 'preact'
import { homeTime } from '../../stores/home-time.ts'
import { type ActivityFeed, SHOWN_MAX } from '../../stores/activity-feed.ts'
import { words } from '../../words/activity.ts'

/** The way further back, where there is more. */
export function Older({ feed }: { readonly feed: ActivityFeed }): JSX.Element | null {
  const [nextTo, shown] = [feed.nextTo.value, feed.entries.value?.length ?? 0]
  if (nextTo === null) return null
  if (shown >= SHOWN_MAX) return <p class="muted">{words.full(SHOWN_MAX.toLocaleString())}</p>
  const moment = homeTime(nextTo)
  return (
    <div class="older">
      {shown === 0 && <p class="muted">{words.emptySoFar(moment)}</p>}
      <button type="button" disabled={feed.isReading.value} onClick={() => void feed.readOlder()}>
        {words.back(moment)}
      </button>
    </div>
  )
}
