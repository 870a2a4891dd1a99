/** The keys of a record that has no others than its type says: `Object.keys` forgets them. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] {
  return Object.keys(record) as K[]
}
