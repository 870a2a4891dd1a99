import type { CallAnswer, Commands } from './command-group.ts'
import type { HomeTime } from '../shell/home-time.ts'
import { table } from '../shell/terminal.ts'
import { ownCommandWords } from '../../home/words/units.ts'

/** `hm intents DEVICE`: a unit's settings in plain words. */
export function intentsCommand(program: Commands): void {
  const description = 'show the settings and own schedules of a unit or gang (UNIT:N), as last confirmed'
  program.asks('intents <device>', description, 'intents.show', describe)
}

function describe(view: CallAnswer<'intents.show'>, time: HomeTime): string {
  const settings = view.intents.map((item) => [
    item.intent,
    item.access === 'read_only' ? 'read-only' : '',
    item.words ?? 'not read yet',
    time.when(item.asOf),
  ])
  const schedules = view.schedules.map(
    ({ slot, enabled, gang, days, time: at, ...does }) =>
      `  ${slot}  ${at}  on weekdays ${days.join(' ')}  ${gang === null ? '' : `gang ${gang}  `}${ownCommandWords(does)}${enabled ? '' : '  (off)'}`,
  )
  return [
    `${view.name}  ${view.device}${view.model ? `  ${view.model}` : ''}`,
    ...(settings.length > 0 ? [table(['INTENT', 'ACCESS', 'VALUE', 'CONFIRMED'], settings)] : []),
    ...(schedules.length > 0 ? [`its own schedules, read ${time.when(view.schedulesAsOf)}`, ...schedules] : []),
    view.note,
  ].join('\n')
}
