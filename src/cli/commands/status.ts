import { isObject } from '../../lib/json.ts'
import type { Command } from 'commander'
import type { StatusView } from '../../api/admin/contract/gateway.ts'
import type { CliContext } from '../context.ts'
import { conflictWords } from '../../home/house/bus-classes.ts'
import type { HomeTime } from '../home-time.ts'
import { duration, plain, size } from '../print.ts'

/** Units that are named; of more than these there is only the number. */
const UNITS_NAMED_MAX = 8
/** Fewer requests without a valid credential in a day are no trouble: browsers and phones try what they find. */
const FAILED_MIN = 20

/** `hm status`: what a person wants to know on one screen, and with `--all` every counter. */
export function statusCommand(program: Command, context: () => CliContext): void {
  program
    .command('status')
    .description('how the gateway is doing, and what needs attention')
    .option('--all', 'every counter', false)
    .action(async ({ all }: { all: boolean }) => {
      await context().showTimes(await context().client.ask('status.get'), (status, time) =>
        all
          ? allOf({ ...status, certificateUntil: time.when(Date.parse(status.certificateUntil)) }, '')
          : summaryOf(status, time),
      )
    })
}

function summaryOf(status: StatusView, time: HomeTime): string {
  const { home, port, units, history } = status
  const [first = '', ...others] = [`hm-${status.gateway}.local`, ...status.addresses].map(
    (each) => `https://${each.includes(':') ? `[${each}]` : each}:${port}`,
  )
  const troubles = troublesOf(status, time)
  return [
    `${home} has been up for ${duration(status.upSeconds)}`,
    '',
    `  gateway       ${status.gateway}`,
    `  address       ${first}`,
    ...others.map((each) => `                ${each}`),
    `  certificate   until ${time.day(Date.parse(status.certificateUntil))}, renews itself`,
    `  link          ${units.link}`,
    `  units         ${units.inTheHouse} in the house, ${units.inTheHouse - units.unreachable.length} answer`,
    `  integrations  ${status.integrations}`,
    `  streams       ${status.streams?.sockets ?? 0} open`,
    `  history       ${size(history.bytes)}`,
    `  memory        ${status.memory.residentMiB} MiB`,
    '',
    ...(troubles.length === 0
      ? ['Nothing needs attention.']
      : ['Needs attention:', ...troubles.map((each) => `  ${each}`)]),
  ].join('\n')
}

/** What an administrator should look at, each with what to do. */
function troublesOf(status: StatusView, time: HomeTime): string[] {
  const { units, history, disk, failedAuthentications, incidents } = status
  const { link, unreachable, withoutPlace, otherClass } = units
  const named = unreachable.slice(0, UNITS_NAMED_MAX).join(', ')
  return [
    ...incidents.map(({ at, what }) => `${time.when(at)}  ${what}`),
    ...(incidents.length === 0 ? [] : ['Read this and take note of it: bin/hm acknowledge.']),
    ...(disk.state === 'ok' ? [] : [diskSentence(disk)]),
    ...(status.socketElsewhere === null
      ? []
      : [`The data folder takes no socket file: the command line asks over ${status.socketElsewhere}.`]),
    ...(link === 'up'
      ? []
      : [`The line to the units is ${link}. Check the adapter and its plug; the gateway keeps trying.`]),
    ...(unreachable.length === 0
      ? []
      : [
          `${unreachable.length} of the units do not answer: ${named}${unreachable.length > UNITS_NAMED_MAX ? ' and others' : ''}. Check that they have power and are in radio range.`,
        ]),
    ...(withoutPlace === 0
      ? []
      : [`${withoutPlace} found on the bus without a place in the house: bin/hm house show.`]),
    ...(failedAuthentications < FAILED_MIN
      ? []
      : [
          `${failedAuthentications} requests of the last 24 hours had no valid credential: \`bin/hm key failures\` says from where.`,
        ]),
    ...otherClass.map((each) => conflictWords(each, 'house')),
    ...(history.damaged === null
      ? []
      : [`The history was damaged and begins anew; what was there is in ${history.damaged}. Check the disk.`]),
    ...(history.shed + history.failed === 0
      ? []
      : [
          `${history.shed + history.failed} rows of the history were left out: the log says why; check that the disk has room.`,
        ]),
  ]
}

function diskSentence({ state, bytesFree }: StatusView['disk']): string {
  const left = `${size(bytesFree)} are left on the disk under the data folder`
  if (state === 'low') return `${left}: make room before it is full.`
  return state === 'full'
    ? `${left}: the history leaves entries out until there is room.`
    : `The disk takes no writes (${left}): changes are refused until it does. The log says why.`
}

function allOf(value: Readonly<Record<string, unknown>>, indent: string): string {
  return Object.entries(value)
    .map(([name, each]) =>
      isObject(each)
        ? `${indent}${name}\n${allOf(each, `${indent}  `)}`
        : `${indent}${name.padEnd(Math.max(1, 18 - indent.length))} ${plain(each) || '-'}`,
    )
    .join('\n')
}
