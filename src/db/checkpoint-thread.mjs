import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'

// Plain JavaScript, because stripping types needs more memory than this thread may have. CheckpointThread has the
// types.
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
    // The first read opens the log; a connection that has read nothing has nothing to checkpoint.
    db.pragma('schema_version')
    // A passive checkpoint waits for no reader or writer: frames that they need stay in the log.
    const [{ log, checkpointed: copied }] = db.pragma('wal_checkpoint(PASSIVE)')
    return { frames: log, copied }
  } finally {
    db.close()
  }
}
