import { busContract } from '#support/relay/bus-contract.ts'
import { MemoryBus, MemoryHub } from './memory-bus.ts'

busContract('memory', async () => {
  const hub = new MemoryHub()
  return {
    buses: [new MemoryBus(hub), new MemoryBus(hub), new MemoryBus(hub)],
    away: async () => {
      hub.isUp = false
    },
    back: async () => hub.returned(),
  }
})
