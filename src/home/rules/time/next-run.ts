import type { TimeRule } from '../model.ts'
import { localDate, momentOn, type Occurrence, type Where } from './occurrence.ts'

/** Days that are looked at for the next run: longer than any polar night and than any set of weekdays leaves empty. */
export const SEARCH_DAYS_MAX = 400

/** The first run after `after` (epoch ms, exclusive), or null when none comes within `SEARCH_DAYS_MAX` days. */
export function nextRun(rule: TimeRule, after: number, where: Where): Occurrence | null {
  if ('sun' in rule && where.place === null) return null
  // A run of the day before may lie after `after`: its offset, or a time skipped at midnight, can move it past
  // midnight.
  let date = localDate(after, where.zone).subtract({ days: 1 })
  for (let day = 0; day <= SEARCH_DAYS_MAX; day += 1) {
    const at = momentOn(rule, date, where)
    if (at !== null && at > after) return { date: date.toString(), at }
    date = date.add({ days: 1 })
  }
  return null
}

/** The runs after `from` (exclusive) up to `to` (inclusive), oldest first, at most `max`. */
export function runsBetween(
  rule: TimeRule,
  from: number,
  to: number,
  where: Where,
  max: number,
): readonly Occurrence[] {
  const runs: Occurrence[] = []
  let run = nextRun(rule, from, where)
  while (run !== null && run.at <= to && runs.length < max) {
    runs.push(run)
    run = nextRun(rule, run.at, where)
  }
  return runs
}

/** A rule and the next of its runs that is not listed yet. */
export interface Coming<R extends { readonly rule: TimeRule }> {
  readonly of: R
  run: Occurrence
}

/** The runs of several rules from their next ones on, soonest first; as long as anybody asks for more. */
export function* soonestFirst<R extends { readonly rule: TimeRule }>(
  coming: Coming<R>[],
  where: Where,
): Generator<{ readonly of: R; readonly at: number }> {
  while (true) {
    let first: Coming<R> | undefined
    for (const each of coming) if (first === undefined || each.run.at < first.run.at) first = each
    if (first === undefined) return
    yield { of: first.of, at: first.run.at }
    const next = nextRun(first.of.rule, first.run.at, where)
    if (next) first.run = next
    else coming.splice(coming.indexOf(first), 1)
  }
}

/** The first `max` moments (epoch ms) at which any of the rules comes round, each once. */
export function momentsOf<R extends { readonly rule: TimeRule }>(
  coming: Coming<R>[],
  where: Where,
  max: number,
): readonly number[] {
  const moments = new Set<number>()
  for (const { at } of soonestFirst(coming, where)) if (moments.add(at).size === max) break
  return [...moments]
}

/** The last run up to `until` (epoch ms, inclusive), or null when none came within `SEARCH_DAYS_MAX` days. */
export function lastRun(rule: TimeRule, until: number, where: Where): Occurrence | null {
  let date = localDate(until, where.zone).add({ days: 1 })
  for (let day = 0; day <= SEARCH_DAYS_MAX; day += 1) {
    const at = momentOn(rule, date, where)
    if (at !== null && at <= until) return { date: date.toString(), at }
    date = date.subtract({ days: 1 })
  }
  return null
}
