import fs, { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { freshRevision } from '../../home/model/house.ts'
import { StorageUnavailable } from '../../home/ports/activity-log.ts'
import { syncFile } from '../../lib/files.ts'
import { RevisionMark } from './revision-mark.ts'

test('a revision is never issued twice, even if the process is killed', () => {
  const file = join(tempFolder(), 'revisions.json')
  const issued: number[] = []
  for (const lives of [5, 250, 3]) {
    const mark = new RevisionMark(file)
    expect(issued.every((revision) => revision <= mark.highest)).toBe(true)
    for (let turn = 0; turn < lives; turn++) {
      const revision = freshRevision(mark.highest)
      mark.reach(revision)
      issued.push(revision)
    }
  }
  expect(new Set(issued).size).toBe(issued.length)
})

test('the file is written before the first of many revisions, not for each', () => {
  const file = join(tempFolder(), 'revisions.json')
  const mark = new RevisionMark(file)
  mark.reach(1)
  const written = readFileSync(file, 'utf8')
  for (let revision = 2; revision <= 101; revision++) mark.reach(revision)
  expect(readFileSync(file, 'utf8')).toBe(written)
  mark.reach(102)
  expect(readFileSync(file, 'utf8')).not.toBe(written)
})

const reservedIn = (file: string): number => (JSON.parse(readFileSync(file, 'utf8')) as { highest: number }).highest

test('edits one after another are reserved beside the event loop, and before they are made', async () => {
  const file = join(tempFolder(), 'revisions.json')
  const mark = new RevisionMark(file)
  mark.reach(1)
  const syncs = vi.spyOn(fs, 'fsyncSync')
  syncBuiltinESMExports()
  onTestFinished(() => {
    syncs.mockRestore()
    syncBuiltinESMExports()
  })
  for (let revision = 2; revision <= 250; revision++) {
    mark.reach(revision)
    expect(reservedIn(file)).toBeGreaterThanOrEqual(revision)
    // The change itself waits for the disk too.
    await syncFile(file)
  }
  expect(syncs).not.toHaveBeenCalled()
})

test.each(['the same process', 'another process'])('a late file replaces none of %s', async (process) => {
  const file = join(tempFolder(), 'revisions.json')
  const mark = new RevisionMark(file)
  mark.reach(1)
  mark.reach(60)
  if (process === 'another process') mark.close()
  const next = process === 'another process' ? new RevisionMark(file) : mark
  next.reach(500)
  for (let turn = 0; turn < 20; turn++) await syncFile(file)
  expect(reservedIn(file)).toBe(600)
})

test('a revision in a house file stays if it is above all issued ones', () => {
  expect([freshRevision(7, 3), freshRevision(7, 8), freshRevision(0)]).toEqual([8, 8, 1])
})

test('a damaged file counts as missing, and a failed write refuses the change', () => {
  const folder = tempFolder()
  const file = join(folder, 'revisions.json')
  writeFileSync(file, '{"highest": 9e99')
  expect(new RevisionMark(file).highest).toBe(0)
  mkdirSync(join(folder, 'taken'))
  expect(() => new RevisionMark(join(folder, 'taken')).reach(1)).toThrow(StorageUnavailable)
})
