import type { ExportTable } from '../home/record/csv-export.ts'
import { readTariffFile } from '../home/record/tariff.ts'
import type { Tariffs } from '../home/record/tariffs.ts'
import type { AdminContent, AdminHandlersOf } from './dispatch.ts'
import type { House } from '../home/house/house.ts'
import type { EnergyJump } from '../home/ports/energy-store.ts'
import type { Corrected, EnergyCorrections, EnergyJumps } from '../home/record/energy-corrections.ts'
import type { RemovedDevices } from '../home/record/removed-devices.ts'
import type { energy, records } from './contract/records.ts'

export interface RecordAdminParts {
  readonly tariffs: Pick<Tariffs, 'content' | 'set' | 'clear'>
  /** Writes a table of the history as CSV to a new file; throws a sentence on failure. */
  readonly exportHistory: (
    table: ExportTable,
    from: number,
    to: number,
    file: string,
  ) => Promise<{ readonly rows: number; readonly bytes: number }>
}

export function recordAdminHandlers({ tariffs, exportHistory }: RecordAdminParts): AdminHandlersOf<typeof records> {
  return {
    'tariff.show': () => ({ tariff: tariffs.content() }),
    'tariff.set': async ({ body, cause, refuse }) => {
      const content = readTariffFile(body.file)
      if (!content.ok) return refuse('validation', { message: content.error })
      const set = await tariffs.set(content.value, cause)
      if (!set.ok) return refuse('validation', { message: set.error })
      return { tariffs: set.value.tariffs.map((tariff) => tariff.name) }
    },
    'tariff.clear': async ({ cause }) => {
      await tariffs.clear(cause)
      return { tariff: null }
    },
    'history.export': async ({ body, refuse }) => {
      try {
        return {
          file: body.file,
          ...(await exportHistory(body.table, body.from ?? 0, body.to ?? Number.MAX_SAFE_INTEGER, body.file)),
        }
      } catch (error) {
        return refuse('validation', {
          message: `The history could not be exported: ${error instanceof Error ? error.message : 'unknown reason'}.`,
        })
      }
    },
  }
}

export interface EnergyAdminParts {
  readonly house: Pick<House, 'devices' | 'info'>
  readonly removed: Pick<RemovedDevices, 'get'>
  readonly jumps: EnergyJumps
  readonly corrections: EnergyCorrections
}

type JumpJson = AdminContent<(typeof energy)['energy.jumps']>['jumps'][number]
type CorrectionJson = AdminContent<(typeof energy)['energy.undoCorrection']>['undone']

const NO_JUMP = {
  message: 'No open jump has this number; it may have been answered already. `bin/hm history jumps` lists them.',
}
const NO_CORRECTION = {
  message: 'No correction has this number; it may have been undone already. `bin/hm history corrections` lists them.',
}

/** Handlers for jumps of counters and corrections of the sums. */
export function energyAdminHandlers(parts: EnergyAdminParts): AdminHandlersOf<typeof energy> {
  const { jumps, corrections } = parts
  return {
    'energy.jumps': () => ({ jumps: jumpsOf(parts) }),
    'energy.answerJump': async ({ params, body, cause, refuse }) => {
      const jump = (await jumps.answer(Number(params.id), body.answer, cause)) ?? refuse('not_found', NO_JUMP)
      return { answered: jumpJson(jump, parts) }
    },
    'energy.corrections': () => ({
      corrections: corrections.list().map(({ mwh, ...correction }) => ({
        ...correction,
        name: nameOf(correction.device, parts),
        energy: mwh / 1_000,
      })),
    }),
    'energy.correct': async ({ body: { device, from, to, check }, cause, refuse }) => {
      if (!parts.house.devices.has(device) && parts.removed.get(device) === undefined)
        return refuse('not_found', {
          message: `There is no device ${device}, and no removed device has this id. \`bin/hm house show\` lists local ids.`,
        })
      if (from >= to) return refuse('validation', { message: 'to: is not after from.' })
      const preview = corrections.preview(device, { from, to })
      if (preview.energy === 0)
        return refuse('validation', { message: `from, to: no energy of ${device} is stored in that time.` })
      const correction = check ? preview : await corrections.correct(device, { from, to }, cause)
      return { checked: check, correction: correctionJson(correction, parts) }
    },
    'energy.undoCorrection': async ({ params, cause, refuse }) => {
      const undone = (await corrections.undo(Number(params.id), cause)) ?? refuse('not_found', NO_CORRECTION)
      return { undone: correctionJson(undone, parts) }
    },
  }
}

/** Open jumps for administrators. */
export function jumpsOf(parts: Pick<EnergyAdminParts, 'house' | 'removed' | 'jumps'>): JumpJson[] {
  return parts.jumps.list().map((jump) => jumpJson(jump, parts))
}

function jumpJson({ mwh, ...jump }: EnergyJump, parts: Pick<EnergyAdminParts, 'house' | 'removed'>): JumpJson {
  return { ...jump, name: nameOf(jump.device, parts), energy: mwh / 1_000 }
}

function correctionJson(corrected: Corrected, parts: EnergyAdminParts): CorrectionJson {
  return { ...corrected, name: nameOf(corrected.device, parts), currency: parts.house.info.currency }
}

function nameOf(device: string, { house, removed }: Pick<EnergyAdminParts, 'house' | 'removed'>): string | null {
  return house.devices.get(device)?.name ?? removed.get(device)?.name ?? null
}
