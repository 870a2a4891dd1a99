import { conflictWords } from '../home/house/placing.ts'
import { energyWords, silenceWords } from '../home/words/energy.ts'
import { DAY_MS } from '../lib/durations.ts'
import type { AttentionView, StatusView } from '../admin/contract/gateway.ts'

type Kind = AttentionView['kind']
/** Facts behind the list of `GET /admin/v1/status`. */
export type AttentionFacts = Omit<StatusView, 'attention'>

/** Limit of units that are listed one by one for a kind of trouble; the others are counted. */
const UNITS_NAMED_MAX = 8
/** Limit of ended integrations that are listed one by one. */
const RECORDS_NAMED_MAX = 4
/** Limit of rules that are listed one by one. */
const RULES_NAMED_MAX = 8
/** Fewer requests without a valid credential in a day are normal: browsers and phones try addresses that they find. */
const FAILED_MIN = 20
/** The certificate renews itself long before, so less time is left only after a failure. */
const CERTIFICATE_MS = 14 * DAY_MS
/** Backups are made each night; a machine that was off makes its own within hours. */
const BACKUP_MS = 3 * DAY_MS
/** Every client has to trust the next CA, which takes people a while. */
const CA_MS = 90 * DAY_MS

/**
 * THE list of conditions that need a person, most serious first (docs/operations.md#attention). The status, the
 * console, `bin/hm status --check` and the metrics all show it. `broken`: something that the home needs does not work.
 *
 * @param nameOf name of a unit for people, by its local id
 * @param now epoch ms
 */
export function attentionOf(
  facts: AttentionFacts,
  nameOf: (unit: string) => string,
  now: number,
): readonly AttentionView[] {
  const items = [
    ...ofIncidents(facts),
    ...ofTheDisk(facts),
    ...ofTheLine(facts),
    ...ofCertificates(facts, now),
    ...ofBackups(facts),
    ...ofTheNetwork(facts),
    ...ofTheAnnouncement(facts),
    ...ofTheHistory(facts),
    ...ofUnits(facts, nameOf),
    ...ofEnergy(facts),
    ...ofRules(facts),
    ...ofEndedRecords(facts),
  ]
  return [...items.filter(({ level }) => level === 'broken'), ...items.filter(({ level }) => level !== 'broken')]
}

const look = (kind: Kind, what: string, more: Partial<AttentionView> = {}): AttentionView => ({
  kind,
  level: 'attention',
  what,
  count: 1,
  device: null,
  at: null,
  ...more,
})
const broken = (kind: Kind, what: string): AttentionView => look(kind, what, { level: 'broken' })

function ofIncidents({ incidents }: AttentionFacts): readonly AttentionView[] {
  return incidents.map(({ what, at }) => look('incident', what, { at }))
}

function ofTheDisk({ disk: { state, bytesFree }, socketElsewhere }: AttentionFacts): readonly AttentionView[] {
  const left = `${Math.floor(bytesFree / 1024 / 1024)} MiB are left on the disk under the data folder`
  const elsewhere =
    socketElsewhere === null
      ? []
      : [look('socket', `The data folder cannot hold a socket file: the command line uses ${socketElsewhere}.`)]
  switch (state) {
    case 'ok':
      return elsewhere
    case 'low':
      return [look('disk', `${left}: free space before it is full.`), ...elsewhere]
    case 'full':
      return [broken('disk', `${left}: the history leaves entries out until there is space.`), ...elsewhere]
    case 'failing':
      return [
        broken(
          'disk',
          `The disk accepts no writes (${left}): changes are refused until it does. The log has the reason.`,
        ),
        ...elsewhere,
      ]
  }
}

function ofTheLine({ units: { link } }: AttentionFacts): readonly AttentionView[] {
  if (link === 'up') return []
  return [broken('line', `The line to the units is ${link}. Check the adapter and its plug; the gateway keeps trying.`)]
}

function ofCertificates({ certificateUntil, caUntil, clock }: AttentionFacts, now: number): readonly AttentionView[] {
  return [
    ...ends('certificate', 'certificate', Date.parse(certificateUntil) - now, {
      soonMs: CERTIFICATE_MS,
      mend: 'It should renew itself: the log has the reason why it did not, and `bin/hm tls renew` tries again.',
    }),
    ...ends('ca', 'CA', Date.parse(caUntil) - now, {
      soonMs: CA_MS,
      mend: '`bin/hm tls regenerate-ca` creates a new one, which every client has to trust again.',
    }),
    ...(clock === 'believed' ? [] : [look('clock', CLOCK_WORDS[clock])]),
  ]
}

const CLOCK_WORDS = {
  behind:
    'The clock is behind an earlier time, so certificates are dated by that earlier time. If the clock is right, run `bin/hm tls renew`.',
  ahead:
    'The clock was set ahead, or the gateway was off for long: it is trusted after an hour. If it is right, run `bin/hm tls renew`.',
} as const

function ends(
  kind: Kind,
  what: string,
  leftMs: number,
  { soonMs, mend }: { readonly soonMs: number; readonly mend: string },
): readonly AttentionView[] {
  if (leftMs > soonMs) return []
  if (leftMs <= 0) return [broken(kind, `The ${what} has expired, and clients refuse it. ${mend}`)]
  const days = Math.floor(leftMs / DAY_MS)
  return [look(kind, `The ${what} expires in ${days} ${days === 1 ? 'day' : 'days'}. ${mend}`)]
}

function ofBackups({ backup: { error, last }, upSeconds }: AttentionFacts): readonly AttentionView[] {
  if (error !== null) return [look('backup', error.what, { at: error.at })]
  const ageMs = (last?.ageSeconds ?? upSeconds) * 1_000
  if (ageMs <= BACKUP_MS) return []
  const days = Math.floor(ageMs / DAY_MS)
  const what = last === null ? 'There is no backup of this home yet' : `The last backup is ${days} days old`
  return [
    look('backup', `${what}: \`bin/hm backup\` makes one, and the log has the reason why none was made at night.`),
  ]
}

const FULL_WORDS =
  'Too many requests and connections came through the relay at once, and more were refused. Close programs that keep many connections open. `bin/hm relay status` shows how many are open now.'

const RIVAL_WORDS =
  'Another gateway with a copy of this data folder was at the relay. This one connected later and serves the home. To keep this one, stop the other one. To keep the other one, stop this one and run `bin/hm relay connect URL` there. If you made no copy, somebody else has the key of this gateway: docs/relay.md#two-gateways.'

const UNLINKING_WORDS =
  'The relay has not confirmed yet that all accounts are unlinked. The gateway repeats the request with each connection, and nobody reaches the home through the relay meanwhile.'

const UNLINKING_ASIDE_WORDS =
  'The relay has not confirmed yet that all accounts are unlinked, and another gateway with a copy of this data folder still serves the home. This one repeats the request until the relay confirms it. Stop the other gateway; if you cannot, unlink the home on the relay’s page “Your homes”, or ask its operator to replace the key: docs/relay.md#two-gateways.'

function ofTheNetwork({ relay, failedAuthentications }: AttentionFacts): readonly AttentionView[] {
  return [
    ...(relay.trouble === null ? [] : [look('relay', relay.trouble)]),
    ...(relay.trouble === null && typeof relay.rivalAt === 'number'
      ? [look('relay', RIVAL_WORDS, { at: relay.rivalAt })]
      : []),
    ...(relay.pending?.wish === 'unlink'
      ? [look('relay', relay.gaveWay === true ? UNLINKING_ASIDE_WORDS : UNLINKING_WORDS, { at: relay.pending.since })]
      : []),
    ...(typeof relay.fullAt === 'number' ? [look('relay', FULL_WORDS, { at: relay.fullAt })] : []),
    ...(failedAuthentications < FAILED_MIN
      ? []
      : [
          look(
            'turned_away',
            `${failedAuthentications} requests of the last 24 hours had no valid credential: \`bin/hm key failures\` lists the senders.`,
          ),
        ]),
  ]
}

function ofTheAnnouncement({ announcement }: AttentionFacts): readonly AttentionView[] {
  return [
    ...(announcement?.silent ?? []).map(({ interface: name, address }) =>
      look(
        'announcement',
        `The home network does not carry the announcement of the gateway on ${name} (${address}): programs there do not find it by themselves. Check cable, Wi-Fi and firewall (UDP port 5353); the gateway keeps trying.`,
      ),
    ),
    ...(announcement?.conflicts ?? []).map(({ address, name, at }) =>
      look(
        'announcement',
        `Another machine on the network, ${address}, also announces ${name}: clients may reach that one instead. If it is a copy of this gateway, stop one of the two.`,
        { at },
      ),
    ),
  ]
}

function ofTheHistory({ history: { damaged, leftOutLately } }: AttentionFacts): readonly AttentionView[] {
  return [
    ...(damaged === null
      ? []
      : [look('history', `The history was damaged and starts again; the old file is ${damaged}. Check the disk.`)]),
    ...(leftOutLately === 0
      ? []
      : [
          look(
            'history',
            `${leftOutLately} rows of the history were left out in the last 24 hours: the log has the reason; check that the disk has space.`,
          ),
        ]),
  ]
}

function ofUnits({ units }: AttentionFacts, nameOf: (unit: string) => string): readonly AttentionView[] {
  const { link, unreachable, withoutPlace, otherClass, lowBatteries } = units
  return [
    // Without the line the state of single units is unknown.
    ...unitItems(
      'unit_silent',
      link === 'up' ? unreachable : [],
      (unit) => `${nameOf(unit)} does not answer. Check that it has power and is in radio range.`,
      'more units do not answer.',
    ),
    ...(withoutPlace === 0
      ? []
      : [
          look(
            'unit_without_place',
            `${withoutPlace} found on the bus without a place in the house: \`bin/hm house show\`.`,
            { count: withoutPlace },
          ),
        ]),
    ...otherClass.map((conflict) => look('unit_class', conflictWords(conflict, 'house'), { device: conflict.device })),
    ...unitItems(
      'battery',
      lowBatteries.map(({ unit }) => unit),
      (unit) => `${nameOf(unit)}: its battery has ${percentOf(unit, lowBatteries)} % left.`,
      'more batteries are low.',
    ),
  ]
}

/** Energy is never added or dropped by a guess; an administrator decides. */
function ofEnergy({ energyJumps = [] }: AttentionFacts): readonly AttentionView[] {
  const more = energyJumps.length - UNITS_NAMED_MAX
  return [
    ...energyJumps
      .slice(0, UNITS_NAMED_MAX)
      .map(({ id, device, name, from, to, energy }) =>
        look(
          'energy_jump',
          `The counter of ${name ?? device} jumped by ${energyWords(energy * 1_000)} after ${silenceWords(to - from)} without a value. Did the device use that, or is it another meter? Until you answer, no sum includes it: \`bin/hm history jumps\`.`,
          { device, at: to, jump: String(id) },
        ),
      ),
    ...(more > 0
      ? [
          look('energy_jump', `${more} more jumps of counters need an answer: \`bin/hm history jumps\`.`, {
            count: more,
          }),
        ]
      : []),
  ]
}

/** A rule with a gap never runs as it was meant; people decide what it loses. */
function ofRules({ rulesWithGaps = [] }: AttentionFacts): readonly AttentionView[] {
  const more = rulesWithGaps.length - RULES_NAMED_MAX
  return [
    ...rulesWithGaps.slice(0, RULES_NAMED_MAX).map((rule) => look('rule', gapWords(rule))),
    ...(more > 0
      ? [look('rule', `${more} more rules name removed things: \`bin/hm automation list\`.`, { count: more })]
      : []),
  ]
}

function ofEndedRecords({ endedRecords = [] }: AttentionFacts): readonly AttentionView[] {
  const more = endedRecords.length - RECORDS_NAMED_MAX
  return [
    ...endedRecords
      .slice(0, RECORDS_NAMED_MAX)
      .map(({ id, name, until }) =>
        look(
          'record',
          `The time of ${name} has ended, and its requests are refused. Delete it, or give it a later end: \`bin/hm integration time ${id} --until TIME\`.`,
          { at: until },
        ),
      ),
    ...(more > 0
      ? [
          look('record', `The time of ${more} more integrations has ended: \`bin/hm integration list\`.`, {
            count: more,
          }),
        ]
      : []),
  ]
}

function gapWords({ kind, id, name, missing }: NonNullable<AttentionFacts['rulesWithGaps']>[number]): string {
  if (missing.length === 0)
    return `The groups of the ${kind} ${name} have no devices, because the program that saved it was removed. Turn it on to give it all devices of the home, or delete it: \`bin/hm ${kind} on ${id}\`.`
  const things = [missing.slice(0, -1).join(', '), ...missing.slice(-1)].filter((words) => words !== '').join(' and ')
  return `The ${kind} ${name} names ${things}, which ${missing.length === 1 ? 'was' : 'were'} removed. Change or delete it: \`bin/hm ${kind} show ${id}\`.`
}

const percentOf = (unit: string, batteries: AttentionFacts['units']['lowBatteries']): number =>
  batteries.find((battery) => battery.unit === unit)?.percent ?? 0

function unitItems(
  kind: Kind,
  units: readonly string[],
  say: (unit: string) => string,
  others: string,
): readonly AttentionView[] {
  const more = units.length - UNITS_NAMED_MAX
  return [
    ...units.slice(0, UNITS_NAMED_MAX).map((unit) => look(kind, say(unit), { device: unit })),
    ...(more > 0 ? [look(kind, `${more} ${others}`, { count: more })] : []),
  ]
}
