/** The keys of a record without additional keys; `Object.keys` loses their type. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] {
  return Object.keys(record) as K[]
}
