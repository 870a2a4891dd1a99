import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'

// Plain JavaScript, since taking types out needs more memory than this thread may have; the shapes are those of
// CheckpointThread.
parentPort.on('message', ({ id, file }) => {
  try {
    parentPort.postMessage({ id, ...checkpointed(file) }, [])
  } catch (error) {
    parentPort.postMessage({ id, error: error instanceof Error ? error.message : String(error) }, [])
  }
})

/** @param {string} file */
function checkpointed(file) {
  const db = new Database(file, { fileMustExist: true })
  try {
    // The first read finds the log; a connection that has read nothing has nothing to checkpoint.
    db.pragma('schema_version')
    // It waits for nobody who reads or writes: what they need stays in the log.
    const [{ log, checkpointed: copied }] = db.pragma('wal_checkpoint(PASSIVE)')
    return { frames: log, copied }
  } finally {
    db.close()
  }
}
