import type { AccessChange } from '../exposure/access-change.ts'
import type { HomeEvent } from '../home/model/events.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { StatusView } from './contract/gateway.ts'
import type { AdminEvents } from './events.ts'
import type { AdminTopicSource } from './topics.ts'

/** How the gateway is doing is told this often, and at once when a unit or the line goes or comes. */
const STATUS_EVERY_MS = 10_000
/** Units that go together are told together. */
const GATHERED_MS = 200

/**
 * What waits for a word and what becomes of it, as `bin/hm agent watch` is told; and `{kind: 'changed', integration}`
 * after every change of an integration, a credential, a person or a session: read again what is shown of it.
 */
export function accessTopic(
  events: Pick<AdminEvents, 'follow'>,
  changes: Pick<Emitter<AccessChange>, 'on'>,
): AdminTopicSource {
  return (tell) => {
    const stops = [
      events.follow(tell),
      changes.on(({ integration, deleted }) => tell({ kind: 'changed', integration, deleted })),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }
}

export interface StatusTopicParts {
  readonly clock: Clock
  readonly events: Pick<Emitter<HomeEvent>, 'on'>
  readonly status: () => StatusView
}

/** How the gateway is doing, as `GET /admin/v1/status`: now, and whenever that is told again. */
export function statusTopic({ clock, events, status }: StatusTopicParts): AdminTopicSource {
  return (tell) => {
    let cancel: (() => void) | null = null
    const now = (): void => {
      cancel = null
      tell(status())
    }
    now()
    const stops = [
      every(clock, STATUS_EVERY_MS, now),
      events.on(({ kind }) => {
        if (kind === 'unit' || kind === 'link') cancel ??= clock.after(GATHERED_MS, now)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
      cancel?.()
    }
  }
}
