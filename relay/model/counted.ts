import { RelayUnavailable } from './unavailable.ts'

/** Wraps a store or bus, and calls back each time it is unavailable. */
export function counted<T extends object>(shared: T, onUnavailable: () => void): T {
  return new Proxy(shared, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args)
        if (result instanceof Promise)
          result.catch((error: unknown) => {
            if (error instanceof RelayUnavailable) onUnavailable()
          })
        return result
      }
    },
  })
}
