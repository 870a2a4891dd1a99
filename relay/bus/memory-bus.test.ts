import { busContract } from '#support/relay/bus-contract.ts'
import { MemoryBus, MemoryHub } from './memory-bus.ts'

busContract('memory', async () => {
  const hub = new MemoryHub()
  return {
    buses: [new MemoryBus(hub), new MemoryBus(hub), new MemoryBus(hub)],
    disconnect: async () => {
      hub.isUp = false
    },
    reconnect: async () => hub.reconnect(),
  }
})
