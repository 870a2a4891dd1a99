import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../../lib/log.ts'
import { Revocations, REVOCATIONS_KEPT } from './revocations.ts'

const linkOf = (count: number): string => count.toString(36).padStart(10, '0')
const LINKS = Array.from({ length: REVOCATIONS_KEPT }, (_, at) => linkOf(at))
const NEXT = linkOf(REVOCATIONS_KEPT)

/** A full file of revocations. */
function full() {
  const folder = tempFolder()
  const file = join(folder, 'revoked')
  writeFileSync(file, `${LINKS.join('\n')}\n`)
  const lines = (): readonly string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return { folder, file, lines }
}

/** The credentials that these revocations end. */
function endedBy(revocations: Revocations): readonly string[] {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  db.exec(
    'CREATE TABLE credentials (link TEXT, revoked_at INTEGER); CREATE TABLE persons (id TEXT); CREATE TABLE passkeys (id TEXT); CREATE TABLE console_sessions (id TEXT); CREATE TABLE operators (id TEXT); CREATE TABLE integrations (id TEXT)',
  )
  db.prepare('INSERT INTO credentials SELECT value, NULL FROM json_each(?)').run(JSON.stringify([...LINKS, NEXT]))
  revocations.apply(db, 1)
  return db.prepare<[], string>('SELECT link FROM credentials WHERE revoked_at = 1').pluck().all()
}

proves('storage.restored', 'a full file of revocations is complete at every moment of its replacement', () => {
  const { folder, file, lines } = full()
  const before = openSync(file, 'r')
  onTestFinished(() => closeSync(before))
  new Revocations(file, silentLog).add([NEXT])
  // The old file is unchanged, so a power cut meanwhile finds it.
  expect(readFileSync(before, 'utf8').split('\n').filter(Boolean)).toEqual(LINKS)
  expect(lines()).toEqual([...LINKS, NEXT].slice(-REVOCATIONS_KEPT / 2))
  expect(readdirSync(folder)).toEqual(['revoked'])
})

test('the gateway remembers exactly the revocations of the file', () => {
  const { file, lines } = full()
  const revocations = new Revocations(file, silentLog)
  revocations.add([NEXT, NEXT])
  expect(endedBy(revocations)).toEqual(lines())
})

test('the leftover of an interrupted replacement does no harm', () => {
  const { file, lines } = full()
  writeFileSync(`${file}.new`, 'half of a li')
  new Revocations(file, silentLog).add([NEXT])
  expect(lines().at(-1)).toBe(NEXT)
})

test('a replacement that the disk refuses leaves file and memory unchanged', () => {
  const { file, lines } = full()
  // A non-empty folder can neither be removed as a file nor overwritten.
  mkdirSync(join(`${file}.new`, 'more'), { recursive: true })
  const log = recordingLog()
  const revocations = new Revocations(file, log)
  revocations.add([NEXT])
  expect(log.sentences('error')).toEqual(['A revocation could not be stored next to the configuration.'])
  expect(lines()).toEqual(LINKS)
  expect(endedBy(revocations)).toEqual(LINKS)
})

test('a truncated line does not affect the others', () => {
  const file = join(tempFolder(), 'revoked')
  writeFileSync(file, `${linkOf(1)}\n00000`)
  new Revocations(file, silentLog).add([linkOf(2)])
  expect(endedBy(new Revocations(file, silentLog))).toEqual([linkOf(1), linkOf(2)])
})

proves(
  'console.restored',
  'removed persons, passkeys and operators and ended sessions do not return with a restored configuration',
  () => {
    const { file } = full()
    const [removed, ended, lost, dead] = [linkOf(7), linkOf(8), linkOf(9), linkOf(10)]
    const db = new Database(':memory:')
    onTestFinished(() => void db.close())
    db.exec(`CREATE TABLE credentials (link TEXT, revoked_at INTEGER); CREATE TABLE persons (id TEXT); CREATE TABLE passkeys (id TEXT); CREATE TABLE console_sessions (id TEXT); CREATE TABLE operators (id TEXT); CREATE TABLE integrations (id TEXT);
    INSERT INTO operators VALUES ('${dead}'), ('nightly');
    INSERT INTO persons VALUES ('${removed}'), ('anna'); INSERT INTO console_sessions VALUES ('${ended}'), ('hers'); INSERT INTO passkeys VALUES ('${lost}'), ('kept')`)
    expect(new Revocations(file, silentLog).apply(db, 1)).toBe(4)
    const ids = (table: string): unknown[] => db.prepare(`SELECT id FROM ${table}`).pluck().all()
    expect(['persons', 'console_sessions', 'passkeys', 'operators'].map(ids)).toEqual([
      ['anna'],
      ['hers'],
      ['kept'],
      ['nightly'],
    ])
  },
)

test('a revocation that the disk refuses is remembered, reported once, and stored with the next', () => {
  const folder = tempFolder()
  const [file, log] = [join(folder, 'gone', 'revoked'), recordingLog()]
  const revocations = new Revocations(file, log)
  revocations.add([linkOf(1)])
  revocations.add([linkOf(2)])
  expect([linkOf(1), linkOf(2), NEXT].map((link) => revocations.has(link))).toEqual([true, true, false])
  expect(log.sentences('error')).toHaveLength(1)
  mkdirSync(join(folder, 'gone'))
  revocations.add([])
  expect(readFileSync(file, 'utf8').split('\n').filter(Boolean)).toEqual([linkOf(1), linkOf(2)])
})
