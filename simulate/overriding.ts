/** A part with some of its members replaced; what it calls of its own stays its own. */
export function overriding<T extends object>(part: T, members: Partial<T>): T {
  return new Proxy(part, {
    get: (target, name) => {
      if (name in members) return Reflect.get(members, name) as unknown
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
