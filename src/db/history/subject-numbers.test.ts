import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { draft, readAll, tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { type Subject, subjectKey } from '../../home/model/events.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { readDatabase } from '../sound-file.ts'
import { openHistory } from './history-db.ts'
import { STEPS_DEVICES_MAX, SUBJECTS_OF_KIND_MAX } from './subject-numbers.ts'

describe('edits of the steps of a scene', () => {
  const steps = (...devices: string[]): Subject => ({ kind: 'steps', id: 'evening', devices })
  const subjectsIn = (file: string): number =>
    readDatabase(file, (db) => db.prepare<[], number>('SELECT count(*) FROM subjects').pluck().get()) ?? 0

  test('with ever new devices take no more room: the oldest entries keep only the scene', async () => {
    const file = join(tempFolder(), 'history.db')
    const clock = new ManualClock()
    const open = () => openHistory({ file, clock, random: systemRandom, log: silentLog })
    let history = open()
    for (let edit = 0; edit < STEPS_DEVICES_MAX; edit += 1) {
      history.activity.record(draft(edit + 1, 'edited', steps('hidden', `lamp-${edit}`)))
      await history.activity.committed()
    }
    history.writer.flush()
    expect(subjectsIn(file)).toBe(STEPS_DEVICES_MAX / 2 + 1)
    for (const again of [false, true]) {
      if (again) history.close()
      if (again) history = open()
      const moving = (device: string) =>
        readAll(
          history.activity,
          { only: [subjectKey({ kind: 'scene', id: 'evening' })], moves: (key) => key === device },
          200,
        ).map(({ at, subject }) => ({ at, subject }))
      const last = STEPS_DEVICES_MAX - 1
      expect(moving(`lamp-${last}`)).toEqual([{ at: last + 1, subject: steps('hidden', `lamp-${last}`) }])
      expect(moving('lamp-0')).toEqual([])
      expect(moving('hidden')).toHaveLength(STEPS_DEVICES_MAX / 2)
      const all = readAll(history.activity, { all: true }, 200)
      expect(all).toHaveLength(STEPS_DEVICES_MAX)
      expect(all.at(-1)).toMatchObject({ at: 1, what: 'edited', subject: steps() })
    }
    history.close()
  })

  test('with many devices at once are known by them, after any earlier ones', async () => {
    const { activity } = tempHistory()
    const many = Array.from({ length: STEPS_DEVICES_MAX + 1 }, (_, index) => `lamp-${index}`).toSorted()
    for (const [at, devices] of [['a'], many].entries()) activity.record(draft(at + 1, 'edited', steps(...devices)))
    await activity.committed()
    expect(readAll(activity, { all: true }, 9).map(({ subject }) => subject)).toEqual([steps(...many), steps()])
  })
})

test('entries about ever new rules stay, without ids beyond a bound; used ones keep theirs', async () => {
  const file = join(tempFolder(), 'history.db')
  const clock = new ManualClock()
  const open = () => openHistory({ file, clock, random: systemRandom, log: silentLog })
  let history = open()
  const MORE = 20
  const rule = (id: string): Subject => ({ kind: 'automation', id })
  const record = (at: number, subject: Subject): void => {
    history.activity.record(draft(at, 'ran', subject))
    if (at % 500 === 0) history.writer.flush()
  }
  record(1, rule('lived-in'))
  record(2, { kind: 'steps', id: 'evening', devices: ['lamp'] })
  for (let made = 0; made < SUBJECTS_OF_KIND_MAX + MORE; made += 1) {
    record(10 + 2 * made, rule(`rule-${made}`))
    if (made % 1_000 === 999) record(11 + 2 * made, rule('lived-in'))
  }
  history.writer.flush()
  for (const again of [false, true]) {
    if (again) history.close()
    if (again) history = open()
    // The next rule finds room again, even after a restart.
    record(again ? 99_999 : 99_998, rule(`next-${again}`))
    await history.activity.committed()
    const count = readDatabase(file, (db) =>
      db.prepare<[], number>("SELECT count(*) FROM subjects WHERE key GLOB 'automation:?*'").pluck().get(),
    )
    expect(count).toBe(SUBJECTS_OF_KIND_MAX)
    const of = (...ids: string[]) =>
      readAll(history.activity, { only: ids.map((id) => subjectKey(rule(id))) }, 9).map(({ at }) => at)
    expect(of('rule-0', 'rule-1')).toEqual([])
    expect(of('lived-in').at(-1)).toBe(1)
    expect(of(`rule-${SUBJECTS_OF_KIND_MAX}`)).toHaveLength(1)
    const all = readAll(history.activity, { all: true }, 500)
    expect(all).toHaveLength(SUBJECTS_OF_KIND_MAX + MORE + 4 + (again ? 2 : 1))
    expect(all.at(-3)).toMatchObject({ at: 10, subject: rule('') })
    expect(all.at(-2)?.subject).toEqual({ kind: 'steps', id: 'evening', devices: ['lamp'] })
  }
  history.close()
})
