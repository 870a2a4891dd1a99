import { z } from 'zod'
import { parsedAs } from '../../lib/json.ts'
import { BackupProblem } from './problem.ts'

/** Of the file's own form; a program takes this one and those before it. */
export const BACKUP_FORMAT = 1
/** Why one was made: each night, because a person or a program asked, or before an update changes the databases. */
export const BACKUP_REASONS = ['nightly', 'asked', 'operator', 'before-update'] as const
export type BackupReason = (typeof BACKUP_REASONS)[number]

/** Plain names, so that none of them leads out of a folder. */
const PART_NAME = /^[a-z][a-z.-]{1,40}$/
const wholeNumber = z.int().min(0)

const Part = z.object({ name: z.string().regex(PART_NAME), bytes: wholeNumber, sha256: z.string().length(64) })

const shape = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** The version of the program that made it. */
  program: z.string().max(40),
  /** How many migrations each database has; null without a history. */
  schemas: z.object({ core: wholeNumber, history: wholeNumber.nullable() }),
  /** The serial of the gateway, and the name of the home. */
  gateway: z.string().max(40),
  home: z.string().max(400),
  /** Epoch ms. */
  at: z.number(),
  why: z.enum(BACKUP_REASONS),
  counts: z.object({ persons: wholeNumber, integrations: wholeNumber, keys: wholeNumber }),
  /** What should be in it and is not, in one sentence. */
  lacks: z.string().max(400).nullable().default(null),
  parts: z.array(Part).min(1).max(20),
})

/** What a backup says of itself. */
export type Manifest = Readonly<z.output<typeof shape>>
export type BackupPart = Manifest['parts'][number]

const formatOnly = z.object({ format: z.int() })

/** @throws BackupProblem where it was written by a later program, or is none. */
export function readManifest(text: string): Manifest {
  const version = parsedAs(formatOnly, text)
  if (version === null) throw new BackupProblem('not_a_backup')
  if (version.format > BACKUP_FORMAT) throw new BackupProblem('newer')
  const manifest = parsedAs(shape, text)
  if (manifest === null) throw new BackupProblem('damaged')
  return manifest
}
