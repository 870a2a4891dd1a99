import { PLAIN_TOPICS } from '../api/contract/events.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'

const PLAIN: ReadonlySet<string> = new Set(PLAIN_TOPICS)
const NAMED = /^(device|room|floor):(.*)$/s

/** True if this integration sees the topic's subject. Hidden and unknown ids take the same path. */
export function topicExists(topic: string, view: ExposedHouse): boolean {
  if (topic === 'mode') return view.modes.length > 0
  if (topic === 'presence') return view.showsAnyone
  if (PLAIN.has(topic)) return true
  const match = NAMED.exec(topic)
  if (!match) return false
  const [, kind, id = ''] = match
  const thing = view.thing(id)
  if (!thing) return false
  return kind === 'device'
    ? thing.type === 'unit' || thing.type === 'gang' || thing.type === 'scene'
    : thing.type === kind
}
