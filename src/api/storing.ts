import { type DeferredWork, StorageUnavailable } from '../home/ports/activity-log.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'
import { type Endpoint, isWrite } from './contract/endpoint.ts'
import { Refusal } from './errors.ts'

const NOT_STORED =
  'The disk failed while this was stored: it is so now, but a power cut may take it back. Read what is so before you send it again.'

/**
 * Refuses a request during which the disk failed. The outcome of a write is unknown if it `mayBeMade`: something was
 * committed, or sent to a unit.
 */
export function failedMidway(error: unknown, declared: Endpoint, mayBeMade: boolean): never {
  if (error instanceof StorageUnavailable || !isStorageFailure(error) || !isWrite(declared)) throw error
  if (!mayBeMade) throw new StorageUnavailable(error)
  throw new Refusal('outcome_unknown')
}

/** Waits until a change is on the disk. A change that was made, and that others may have read, is not called undone. */
export async function onDisk(storage: Pick<DeferredWork, 'onDisk'>): Promise<void> {
  try {
    await storage.onDisk()
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    throw new Refusal('outcome_unknown', { message: NOT_STORED })
  }
}
