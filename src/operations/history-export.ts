import { open, rm } from 'node:fs/promises'
import { type ExportStores, type ExportTable, exportCsv } from '../home/record/csv-export.ts'
import { PRIVATE_FILE_MODE } from '../lib/files.ts'

/** Lines that are read before the event loop serves other requests. */
const LINES_AT_ONCE = 500

/**
 * Writes a table of the history as CSV to a new file. An existing file is left alone; an incomplete one is removed.
 * @throws the file system's own error.
 */
export async function writeHistoryFile(
  stores: ExportStores,
  table: ExportTable,
  from: number,
  to: number,
  path: string,
): Promise<{ rows: number; bytes: number }> {
  const file = await open(path, 'wx', PRIVATE_FILE_MODE)
  let lines = 0
  let bytes = 0
  let text = ''
  const flush = async (): Promise<void> => {
    bytes += (await file.write(text)).bytesWritten
    text = ''
  }
  try {
    for (const line of exportCsv(stores, table, from, to)) {
      text += line
      if (++lines % LINES_AT_ONCE === 0) await flush()
    }
    await flush()
    await file.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return { rows: lines - 1, bytes }
}
