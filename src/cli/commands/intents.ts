import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { table, when } from '../print.ts'

interface IntentsView {
  device: string
  name: string
  model: string | null
  intents: { intent: string; access: string; value: unknown; asOf: number | null }[]
  schedules: { slot: number; enabled: boolean; gang: number | null; days: number[]; time: string; op: string; args?: object }[]
  schedulesAsOf: number | null
  note: string
}

/** `hm intents DEVICE`: a unit's settings in plain words. */
export function intentsCommand(program: Command, context: () => CliContext): void {
  program.command('intents <device>').description("a unit's or gang's settings and own schedules, as last confirmed; UNIT or UNIT:N").action(async (device: string) => {
    context().show(await context().client.call('GET', `/devices/${encodeURIComponent(device)}/intents`) as unknown as IntentsView, describe)
  })
}

function describe(view: IntentsView): string {
  const settings = view.intents.map((item) => [item.intent, item.access === 'read_only' ? 'read-only' : '', item.asOf === null ? 'not read yet' : plain(item.value), when(item.asOf)])
  const schedules = view.schedules.map(({ slot, enabled, gang, days, time, op, args }) =>
    `  ${slot}  ${time}  on weekdays ${days.join(' ')}  ${gang === null ? '' : `gang ${gang}  `}${op}${args ? ` ${plain(args)}` : ''}${enabled ? '' : '  (off)'}`)
  return [
    `${view.name}  ${view.device}${view.model ? `  ${view.model}` : ''}`,
    ...(settings.length > 0 ? [table(['INTENT', 'ACCESS', 'VALUE', 'CONFIRMED'], settings)] : []),
    ...(schedules.length > 0 ? [`its own schedules, read ${when(view.schedulesAsOf)}`, ...schedules] : []),
    view.note,
  ].join('\n')
}

/** `{cool: {on: 26, off: 24}}` as `cool (on 26, off 24)`. */
function plain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value).map(([name, part]) => (typeof part === 'object' && part !== null ? `${name} (${plain(part)})` : `${name} ${String(part)}`)).join(', ')
}
