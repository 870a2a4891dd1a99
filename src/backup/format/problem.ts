/** Faults of a backup file. */
export const BACKUP_FAULTS = ['not_a_backup', 'newer', 'cut', 'damaged', 'phrase_needed', 'wrong_phrase'] as const
export type BackupFault = (typeof BACKUP_FAULTS)[number]

/** A backup that cannot be used. The message is a sentence for people: why, and what to do. */
export class BackupProblem extends Error {
  readonly fault: BackupFault

  constructor(fault: BackupFault, message = SENTENCES[fault]) {
    super(message)
    this.fault = fault
  }
}

const SENTENCES: Readonly<Record<BackupFault, string>> = {
  not_a_backup: 'This is not a backup of a home: its name ends in .hmb, and `bin/hm backup` makes one.',
  newer: 'This backup was made by a newer hm-gateway: update this one first.',
  cut: 'This backup ends too early: it was cut off, or its end is damaged. Copy it again, or take another one.',
  damaged: 'This backup is damaged: its content has changed. Copy it again, or take another one.',
  phrase_needed: 'This backup is encrypted and needs its recovery phrase of twelve words.',
  wrong_phrase: 'This recovery phrase does not open this backup: it belongs to another backup.',
}

/** How the bytes of a file ended: an error of the disk must not look like damage. */
export interface StreamEnd {
  failure: unknown
  /** True once all bytes have been read. */
  isWhole: boolean
}

/** Passes a stream on and notes its end in `end`. */
export async function* watchEnd(stream: AsyncIterable<Uint8Array>, end: StreamEnd): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
    end.isWhole = true
  } catch (error) {
    end.failure = error
    throw error
  }
}
