import { z } from 'zod'
import { parsedAs } from '../../lib/json.ts'
import { BackupProblem } from './problem.ts'

/** Version of the file format. A program reads this version and earlier ones. */
export const BACKUP_FORMAT = 1
/** Why a backup was made: nightly, requested by a person or an operator token, or before an update of the databases. */
export const BACKUP_REASONS = ['nightly', 'asked', 'operator', 'before-update'] as const
export type BackupReason = (typeof BACKUP_REASONS)[number]

/** Part names are file names without a path: none leads out of the folder. */
const PART_NAME = /^[a-z][a-z.-]{1,40}$/
const wholeNumber = z.int().min(0)

const Part = z.object({ name: z.string().regex(PART_NAME), bytes: wholeNumber, sha256: z.string().length(64) })

const shape = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** Version of the program that made the backup, such as 2.0.0. */
  program: z.string().max(40),
  /** Number of migrations of each database; null without a history. */
  schemas: z.object({ core: wholeNumber, history: wholeNumber.nullable() }),
  /** Serial of the gateway, and name of the home. */
  gateway: z.string().max(40),
  home: z.string().max(400),
  /** Epoch ms. */
  at: z.number(),
  why: z.enum(BACKUP_REASONS),
  counts: z.object({ persons: wholeNumber, integrations: wholeNumber, keys: wholeNumber }),
  /** A sentence about missing content, such as a damaged history. */
  lacks: z.string().max(400).nullable().default(null),
  parts: z.array(Part).min(1).max(20),
})

/** Description of a backup, its first entry. */
export type Manifest = Readonly<z.output<typeof shape>>
export type BackupPart = Manifest['parts'][number]

const formatOnly = z.object({ format: z.int() })

/** @throws BackupProblem if the text is no manifest, or one of a later format. */
export function parseManifest(text: string): Manifest {
  const version = parsedAs(formatOnly, text)
  if (version === null) throw new BackupProblem('not_a_backup')
  if (version.format > BACKUP_FORMAT) throw new BackupProblem('newer')
  const manifest = parsedAs(shape, text)
  if (manifest === null) throw new BackupProblem('damaged')
  return manifest
}
