import { workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

// Plain JavaScript like the checkpoint thread; copy-thread.ts has the types.
const { file, to } = workerData
if (to === null) checkWhole(file)
else await copy(file, to)

/**
 * @param {string} source
 * @param {string} target
 */
async function copy(source, target) {
  const db = new Database(source, { fileMustExist: true })
  try {
    // The read transaction keeps one snapshot, so writes meanwhile never restart the copy.
    db.exec('BEGIN')
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    await db.backup(target)
  } finally {
    db.close()
  }
}

/** @param {string} path */
function checkWhole(path) {
  const db = new Database(path, { fileMustExist: true })
  try {
    const found = db.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') throw new Error(`${found}`)
  } finally {
    db.close()
  }
}
