import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { freshRevision } from '../../home/model/house.ts'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { RevisionMark } from './revision-mark.ts'

test('no revision is given twice, also when the process ends without a word', () => {
  const file = join(tempFolder(), 'revisions.json')
  const given: number[] = []
  for (const lives of [5, 250, 3]) {
    const mark = new RevisionMark(file)
    expect(given.every((each) => each <= mark.highest)).toBe(true)
    for (let turn = 0; turn < lives; turn++) {
      const revision = freshRevision(mark)
      mark.reach(revision)
      given.push(revision)
    }
  }
  expect(new Set(given).size).toBe(given.length)
})

test('the file is written before the first of many revisions, and not for each', () => {
  const file = join(tempFolder(), 'revisions.json')
  const mark = new RevisionMark(file)
  mark.reach(1)
  const written = readFileSync(file, 'utf8')
  for (let revision = 2; revision <= 101; revision++) mark.reach(revision)
  expect(readFileSync(file, 'utf8')).toBe(written)
  mark.reach(102)
  expect(readFileSync(file, 'utf8')).not.toBe(written)
})

test('a revision in a house file is kept where it is above all that were given', () => {
  expect([freshRevision({ highest: 7 }, 3), freshRevision({ highest: 7 }, 8), freshRevision({ highest: 0 })]).toEqual([
    8, 8, 1,
  ])
})

test('a damaged file is none, and one that cannot be written refuses the change', () => {
  const folder = tempFolder()
  const file = join(folder, 'revisions.json')
  writeFileSync(file, '{"highest": 9e99')
  expect(new RevisionMark(file).highest).toBe(0)
  mkdirSync(join(folder, 'taken'))
  expect(() => new RevisionMark(join(folder, 'taken')).reach(1)).toThrow(StorageUnavailable)
})
