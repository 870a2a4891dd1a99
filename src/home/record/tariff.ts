import * as z from 'zod'
import { checked, type Problem } from '../../lib/checked.ts'
import { type Result, fail, ok } from '../../lib/result.ts'
import type { LocalDay, LocalTime } from '../../lib/zone-time.ts'
import { parseYaml } from '../../lib/yaml.ts'

/**
 * Prices of electricity (docs/energy.md): per kWh, by time of day and weekday, and a charge for every day. A later
 * tariff takes over on its `since`; the first one also covers all the time before.
 */
export interface TariffPlan {
  /** By `since`, oldest first; at least one. */
  readonly tariffs: readonly Tariff[]
}

interface Tariff {
  readonly name: string
  /** Local day of its start, or null for the first. */
  readonly since: LocalDay | null
  readonly standingPerDay: number
  /** The last one has no times: it applies when no other does. */
  readonly rates: readonly Rate[]
}

interface Rate {
  readonly name: string | null
  /** Millionths of the currency per kWh, a whole number. */
  readonly price: number
  readonly window: { readonly from: number; readonly to: number; readonly days: ReadonlySet<number> } | null
}

/** The price of energy that no tariff covers. */
export const NO_PRICE = -1

const QUARTER_MINUTES = 15
const DAY_MINUTES = 1_440
const TARIFFS_MAX = 50
const RATES_MAX = 50
const PRICE_MAX = 1_000_000
const WEEKDAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const Money = z
  .number({ error: 'must be a number' })
  .min(0, { error: 'must not be below 0' })
  .max(PRICE_MAX, { error: `must be at most ${PRICE_MAX}` })
const TimeOfDay = z
  .string({ error: "must be a time like '06:30', in quotes" })
  .regex(/^(?:(?:[01]\d|2[0-3]):(?:00|15|30|45)|24:00)$/, {
    error: "must be a time like '06:30' on a quarter of an hour",
  })
const Name = z
  .string({ error: 'must be a text' })
  .trim()
  .min(1, { error: 'must not be empty' })
  .max(64, { error: 'must have at most 64 characters' })
const RateFile = z
  .strictObject({
    name: Name.optional(),
    price: Money,
    from: TimeOfDay.optional(),
    to: TimeOfDay.optional(),
    days: z
      .array(z.enum(WEEKDAY_NAMES, { error: `must be one of ${WEEKDAY_NAMES.join(', ')}` }))
      .min(1, { error: 'must name a day' })
      .optional(),
  })
  .refine((rate) => (rate.from === undefined) === (rate.to === undefined), {
    error: 'needs both from and to, or neither',
  })
  .refine((rate) => rate.from === undefined || rate.from !== rate.to, { error: 'from and to are the same time' })
const TariffFile = z.strictObject({
  name: Name,
  since: z.string({ error: "must be a date like '2027-01-31', in quotes" }).optional(),
  standingPerDay: Money.default(0),
  rates: z
    .array(RateFile)
    .min(1, { error: 'must hold a rate' })
    .max(RATES_MAX, { error: `must hold at most ${RATES_MAX} rates` }),
})
const TariffsFile = z.strictObject({
  tariffs: z
    .array(TariffFile)
    .min(1, { error: 'must hold a tariff' })
    .max(TARIFFS_MAX, { error: `must hold at most ${TARIFFS_MAX}` }),
})

/**
 * Checks the content of a tariff file, already read as YAML or JSON: one tariff, or `tariffs` with several. The error
 * is one sentence that names the place: `rates[1].from must be a time like '06:30' on a quarter of an hour`.
 */
export function parseTariffs(content: unknown): Result<TariffPlan, string> {
  const many = typeof content === 'object' && content !== null && 'tariffs' in content
  const parsed = many ? checked(TariffsFile, content) : checked(TariffFile, content)
  if (!parsed.ok) return fail(sentence(parsed.error))
  const files = 'tariffs' in parsed.value ? parsed.value.tariffs : [parsed.value]
  const tariffs: Tariff[] = []
  for (const [index, file] of files.entries()) {
    const place = many ? `tariffs[${index}].` : ''
    const since = file.since === undefined ? null : parseDay(file.since)
    if (since === undefined) return fail(`${place}since must be a date like '2027-01-31'.`)
    const last = file.rates.findLastIndex((rate) => rate.from === undefined && rate.days === undefined)
    if (last < 0) return fail(`${place}rates needs one rate without from, to and days: the price at all other times.`)
    if (
      last !== file.rates.length - 1 ||
      file.rates.findIndex((rate) => rate.from === undefined && rate.days === undefined) !== last
    ) {
      return fail(`${place}rates must have exactly one rate without from, to and days, and it must come last.`)
    }
    tariffs.push({ name: file.name, since, standingPerDay: file.standingPerDay, rates: file.rates.map(rateOf) })
  }
  return inOrder(tariffs)
}

function inOrder(tariffs: readonly Tariff[]): Result<TariffPlan, string> {
  const sorted = tariffs.toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0))
  for (const [index, tariff] of sorted.entries()) {
    if (index > 0 && (tariff.since ?? 0) === (sorted[index - 1]?.since ?? 0))
      return fail(`Two tariffs have the same since: ${tariff.name} and ${sorted[index - 1]?.name}.`)
  }
  return ok({ tariffs: sorted })
}

/** The tariff in effect on a local day. */
export function tariffOn(tariffs: TariffPlan, day: LocalDay): Tariff {
  const found = tariffs.tariffs.findLast((tariff) => tariff.since !== null && tariff.since <= day) ?? tariffs.tariffs[0]
  if (found === undefined) throw new Error('A list of tariffs is never empty.')
  return found
}

/** Millionths of the currency per kWh at a local time. */
export function priceAt(tariffs: TariffPlan | null, time: LocalTime): number {
  if (tariffs === null) return NO_PRICE
  return tariffOn(tariffs, time.day).rates.find((rate) => covers(rate, time))?.price ?? NO_PRICE
}

/** A window across midnight belongs to the day of its start. */
function covers(rate: Rate, time: LocalTime): boolean {
  if (rate.window === null) return true
  const { from, to, days } = rate.window
  if (from < to) return days.has(time.weekday) && time.minute >= from && time.minute < to
  if (time.minute >= from) return days.has(time.weekday)
  return time.minute < to && days.has(time.weekday === 1 ? 7 : time.weekday - 1)
}

function rateOf(file: z.output<typeof RateFile>): Rate {
  const days = new Set((file.days ?? WEEKDAY_NAMES).map((day) => WEEKDAY_NAMES.indexOf(day) + 1))
  const timed = file.from !== undefined || file.days !== undefined
  const window = timed ? { from: minutes(file.from ?? '00:00'), to: minutes(file.to ?? '24:00'), days } : null
  return { name: file.name ?? null, price: Math.round(file.price * 1e6), window }
}

function minutes(time: string): number {
  const minute = Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  if (minute % QUARTER_MINUTES !== 0 || minute > DAY_MINUTES) throw new Error(`${time} is not on a quarter of an hour.`)
  return minute
}

function parseDay(text: string): LocalDay | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return undefined
  const date = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text
    ? undefined
    : Number(match[1] ?? 0) * 10_000 + Number(match[2] ?? 0) * 100 + Number(match[3] ?? 0)
}

function sentence({ field, message }: Problem): string {
  return `${field === '' ? 'The file' : field} ${message}.`
}

/** Reads a tariff file's text, YAML or JSON, for `Tariffs.set`. The error is one sentence. */
export function readTariffFile(text: string): Result<unknown, string> {
  try {
    return ok(parseYaml(text))
  } catch (error) {
    return fail(
      `The file is neither YAML nor JSON: ${error instanceof Error ? (error.message.split('\n')[0] ?? '').replace(/:$/, '') : 'it cannot be read'}.`,
    )
  }
}
