import type { HomeEvent } from '../../src/home/home-event.ts'
import { changeWords } from '../../src/home/words/changes.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

type StateEvent = Extract<HomeEvent, { kind: 'state' }>

/** Every confirmed change of a state is one row of the activity, with its cause. */
export function recorded(world: World): Check {
  let events: StateEvent[] = []
  /** Rows of changes before: a clock that was ahead brings their very millisecond again. */
  const known = new Set<string>()
  world.watch({
    event: (event) => {
      if (event.kind === 'state' && isChange(event) && !world.troubled('disk', 5_000)) events.push(event)
    },
    // What was not synced before a crash may be lost.
    begun: () => {
      events = []
    },
  })
  return {
    afterAct: () => {
      if (!world.running || world.troubled('disk', 5_000)) {
        events = []
        return
      }
      for (const [place, its] of Map.groupBy(events, (event) => `${event.asOf} ${event.device}`))
        compare(world, place, its, known)
      events = []
    },
  }
}

/** Keys of a remote apart: sent again they are a change as well. */
function isChange({ changed, previous, trigger, state }: StateEvent): boolean {
  return (
    changed && !('key' in state) && (previous !== null || trigger !== 'sync') && changeWords(previous, state) !== null
  )
}

function compare(world: World, place: string, events: readonly StateEvent[], known: Set<string>): void {
  const [first] = events
  if (first === undefined) return
  const { activity } = world.life.files.stores.history
  const rows = [...activity.each(first.asOf, first.asOf + 1)].filter(
    ({ id, kind, subject }) =>
      kind === 'state' && subject.kind === 'device' && subject.id === first.device && !known.has(id),
  )
  for (const { id } of rows) known.add(id)
  const [told, stored] = [events, rows].map((list) => list.map(({ cause }) => JSON.stringify(cause)).sort())
  if (JSON.stringify(told) !== JSON.stringify(stored))
    throw new Violation(
      'recorded',
      `${place} changed by ${told?.join(' and ')}, in the activity: ${stored?.join(' and ') || 'nothing'}`,
    )
}
