import Database from 'better-sqlite3'
import { COPIES_APART_MS, COPY_AFTER_MS, copiesOf } from '../../src/db/core/core-copies.ts'
import { backupsIn } from '../safety-copies.ts'
import { configurationIn } from '../truth.ts'
import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

const MINUTE_MS = 60_000
/** By then a change is in a copy. */
const COPIED_MS = COPIES_APART_MS + COPY_AFTER_MS + MINUTE_MS

const ROW_TEXT_MAX = 200

/** The newest safety copy has what was configured a while ago and is still. */
export function copied(world: World): Check {
  let seen = { text: '', at: 0 }
  let looked = ''
  const look = (): void => {
    const text = world.configuration()
    if (text !== seen.text) seen = { text, at: world.now }
    if (world.now - seen.at < COPIED_MS) return
    const [newest] = copiesOf(backupsIn(world.life.folder))
    if (newest === looked) return
    looked = newest ?? ''
    const copy = newest === undefined ? '' : configurationOfFile(newest)
    if (copy !== text)
      throw new Violation(
        'copied',
        `The copy ${newest ?? 'that there is none of'} is not the configuration: ${differing(copy, text)}`,
      )
  }
  // Its wait begins anew with a start, and after a disk that took no writes.
  const again = (): void => {
    seen = { text: '', at: 0 }
    looked = ''
  }
  world.watch({ begun: again })
  return {
    afterAct: () => {
      if (world.running && !world.troubled('disk', COPIED_MS)) look()
      else again()
    },
  }
}

/** The first row of each of two configurations that the other one does not have. */
function differing(copy: string, text: string): string {
  const [had, has] = [copy.split('\n'), text.split('\n')]
  const [lost, gained] = [had.find((row) => !has.includes(row)), has.find((row) => !had.includes(row))]
  return `it has ${lost?.slice(0, ROW_TEXT_MAX) ?? 'nothing else'}, not ${gained?.slice(0, ROW_TEXT_MAX) ?? 'less'}`
}

function configurationOfFile(file: string): string {
  const db = new Database(file, { readonly: true })
  try {
    return configurationIn({ db })
  } finally {
    db.close()
  }
}
