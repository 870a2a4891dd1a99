import type { PersonPlan } from '../houses/house-plan.ts'
import type { SeededRandom } from '../seeded-random.ts'

export type Doing = 'sleep' | 'wash' | 'cook' | 'eat' | 'relax' | 'work' | 'play' | 'tidy' | 'outside' | 'away'

/** From `minute` of the local day on, somebody does something. */
export interface DayEntry {
  readonly minute: number
  readonly doing: Doing
}

type Rough = readonly (readonly [hour: number, spreadMinutes: number, doing: Doing])[]

const WORKDAY: Readonly<Record<PersonPlan['life'], Rough>> = {
  commuter: [
    [6.2, 12, 'wash'],
    [6.6, 8, 'cook'],
    [7.3, 10, 'away'],
    [17.6, 35, 'tidy'],
    [18.4, 15, 'cook'],
    [19.2, 10, 'eat'],
    [19.9, 10, 'relax'],
    [22.7, 30, 'wash'],
    [23.1, 15, 'sleep'],
  ],
  home_worker: [
    [6.8, 15, 'wash'],
    [7.2, 10, 'cook'],
    [7.7, 8, 'eat'],
    [8.4, 15, 'work'],
    [10.5, 25, 'cook'],
    [10.75, 5, 'work'],
    [12.5, 20, 'cook'],
    [13, 10, 'eat'],
    [13.6, 10, 'work'],
    [15.6, 25, 'outside'],
    [16, 10, 'work'],
    [17.4, 25, 'tidy'],
    [18.2, 15, 'cook'],
    [19.2, 10, 'eat'],
    [19.9, 10, 'relax'],
    [22.5, 25, 'wash'],
    [22.9, 15, 'sleep'],
  ],
  child: [
    [6.9, 8, 'wash'],
    [7.25, 6, 'eat'],
    [7.7, 6, 'away'],
    [14.4, 20, 'eat'],
    [15, 10, 'play'],
    [16.2, 15, 'outside'],
    [17.6, 20, 'play'],
    [19.2, 8, 'eat'],
    [19.8, 8, 'relax'],
    [20.4, 10, 'wash'],
    [20.75, 10, 'sleep'],
  ],
}

const WEEKEND: Rough = [
  [8.3, 40, 'wash'],
  [8.9, 20, 'cook'],
  [9.4, 10, 'eat'],
  [10.4, 20, 'tidy'],
  [11.2, 20, 'outside'],
  [12.6, 20, 'cook'],
  [13.2, 10, 'eat'],
  [14, 15, 'away'],
  [17.2, 40, 'relax'],
  [18.3, 20, 'cook'],
  [19.2, 10, 'eat'],
  [20, 10, 'relax'],
  [22.9, 40, 'wash'],
  [23.3, 20, 'sleep'],
]

/** One day of one person, in order; the night before it counts as sleep. `weekday` is ISO, 1 Monday. */
export function dayPlan(person: PersonPlan, weekday: number, random: SeededRandom): readonly DayEntry[] {
  const rough = weekday >= 6 ? WEEKEND : WORKDAY[person.life]
  const early = person.life === 'child' ? -70 : 0
  const entries: DayEntry[] = [{ minute: 0, doing: 'sleep' }]
  for (const [hour, spread, doing] of rough) {
    const bedtime = doing === 'sleep' || (hour > 22 && doing === 'wash')
    const wanted = Math.round(hour * 60 + random.between(-spread, spread)) + (bedtime && weekday >= 6 ? early : 0)
    const earliest = (entries.at(-1)?.minute ?? 0) + 2
    const minute = Math.max(earliest, wanted)
    if (minute < 1_440) entries.push({ minute, doing })
  }
  return entries
}

/** Mean minutes between two movements that a sensor sees. */
export const STIR_MINUTES: Readonly<Record<Doing, number>> = {
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
export function roomFor({ rooms }: PersonPlan, doing: Doing): string | null {
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
