import { readFileSync } from 'node:fs'
import { CoreDb } from '../../src/db/core/core-db.ts'
import { SqliteHouse } from '../../src/db/core/house-store.ts'
import { SqliteRules } from '../../src/db/core/rule-store.ts'
import { importHome, readHomeFile } from '../../src/home/home-file.ts'
import { House } from '../../src/home/house/house.ts'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import type { RuleKind } from '../../src/home/model/rules.ts'
import { RuleRepository } from '../../src/home/rules/rule-repository.ts'
import { systemClock as clock } from '../../src/lib/clock.ts'
import { Emitter } from '../../src/lib/emitter.ts'
import { systemRandom as random } from '../../src/lib/random.ts'
import { onEachRow } from '../support/faults/row-hooks.ts'

/** Imports a house file into a configuration, and is killed after this number of written rows. */
const [database = '', file = '', rows = ''] = process.argv.slice(2)
const core = new CoreDb(database)
const house = new House({ store: new SqliteHouse(core), work: core, events: new Emitter(() => {}), clock })
const parts = {
  ...{ store: new SqliteRules(core), work: core, clock, random, settle: () => {}, changed: () => {} },
  ...{ named: () => undefined, homeRevision: () => 0 },
}
const of = <K extends RuleKind>(kind: K): RuleRepository<K> => new RuleRepository(kind, parts)
const read = readHomeFile(readFileSync(file, 'utf8'), 'UTC')
if (!read.ok) throw new Error(read.error)

let left = Number(rows)
onEachRow(core.db, () => {
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
})
const rules = { automations: of('automation'), schedules: of('schedule') }
await importHome(read.value, { house, rules }, GATEWAY_CAUSE)
process.stdout.write(`${Number(rows) - left} rows\n`)
