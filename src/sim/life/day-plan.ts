import type { Occupation, PersonPlan } from '../model/house-plan.ts'
import type { SeededRandom } from '../model/seeded-random.ts'

/** From `minute` of the local day on, a person does something. */
export interface DayEntry {
  readonly minute: number
  readonly doing: Occupation
}

/** One day of one person, in order; the night before it counts as sleep. `weekday` is ISO, 1 Monday. */
export function dayPlan(
  { workday, weekend }: Pick<PersonPlan, 'workday' | 'weekend'>,
  weekday: number,
  random: SeededRandom,
): readonly DayEntry[] {
  const entries: DayEntry[] = [{ minute: 0, doing: 'sleep' }]
  for (const [usual, spread, doing] of weekday >= 6 ? weekend : workday) {
    const wanted = Math.round(usual + random.between(-spread, spread))
    const earliest = (entries.at(-1)?.minute ?? 0) + 2
    const minute = Math.max(earliest, wanted)
    if (minute < 1_440) entries.push({ minute, doing })
  }
  return entries
}

/** Mean minutes between two movements seen by a sensor. */
export const STIR_MINUTES: Readonly<Record<Occupation, number>> = {
  sleep: 90,
  wash: 1.5,
  cook: 1.5,
  eat: 3,
  relax: 4,
  work: 5,
  play: 2.5,
  tidy: 1.5,
  outside: 4,
  away: Infinity,
}

/** The room in which a person does something; null away from home. */
export function roomFor({ rooms }: PersonPlan, doing: Occupation): string | null {
  switch (doing) {
    case 'away':
      return null
    case 'play':
      return rooms.sleep ?? null
    case 'sleep':
    case 'wash':
    case 'cook':
    case 'eat':
    case 'relax':
    case 'work':
    case 'tidy':
    case 'outside':
      return rooms[doing] ?? rooms.relax ?? rooms.sleep ?? null
  }
}
