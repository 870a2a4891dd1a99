import { freePort } from '#support/free-port.ts'
import { DEVICES, host } from './host.ts'

interface Behaving {
  defineBehavior(...behaviors: unknown[]): void
}

interface MockController extends Behaving {
  addNode(node: unknown): void
}

interface Testing {
  readonly MockController: { create(options: object): Promise<MockController> }
  readonly MockNode: { create(options: object): Promise<Behaving> }
  readonly ccCaps: (capabilities: object) => unknown
}

interface Node {
  readonly id: number
}

interface Driver {
  readonly controller: { readonly nodes: ReadonlyMap<number, Node> }
  once(event: string, listener: () => void): void
  on(event: 'error', listener: (error: Error) => void): void
}

interface Mocking {
  readonly createDefaultMockControllerBehaviors: () => unknown[]
  readonly createDefaultMockNodeBehaviors: () => unknown[]
  readonly createAndStartDriverWithMockPort: (options: object) => Promise<{
    readonly driver: Driver
    readonly mockPort: unknown
    readonly serial: unknown
    continueStartup(): void
  }>
}

interface ServerPackage {
  readonly ZwavejsServer: new (driver: Driver, options: object) => { start(): Promise<void> }
}

/** The Binary Switch command class. */
const BINARY_SWITCH = 0x25
const QUIET = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

/** zwave-js-server with the real driver. The stick and the switches are zwave-js's mocks in the same process. */
await host(async (take, scratch) => {
  const mocking = take('zwave-js/Testing') as Mocking
  const started = await mocking.createAndStartDriverWithMockPort({
    logConfig: { enabled: false },
    storage: { cacheDir: scratch, lockDir: `${scratch}/locks` },
    testingHooks: { skipFirmwareIdentification: true },
  })
  await mockHome(take('@zwave-js/testing') as Testing, mocking, started)
  const { driver } = started
  driver.on('error', () => {})
  const ready = new Promise<void>((resolve) => driver.once('all nodes ready', resolve))
  started.continueStartup()
  await ready
  const port = await freePort()
  const { ZwavejsServer } = take('@zwave-js/server') as ServerPackage
  await new ZwavejsServer(driver, { host: '127.0.0.1', port, logger: QUIET }).start()
  return { port }
})

async function mockHome(
  testing: Testing,
  mocking: Mocking,
  wire: { readonly mockPort: unknown; readonly serial: unknown },
): Promise<void> {
  const controller = await testing.MockController.create({
    homeId: 0x7e570001,
    ownNodeId: 1,
    mockPort: wire.mockPort,
    serial: wire.serial,
  })
  controller.defineBehavior(...mocking.createDefaultMockControllerBehaviors())
  for (let id = 2; id < 2 + DEVICES; id += 1) {
    const commandClasses = [testing.ccCaps({ ccId: BINARY_SWITCH, version: 2, isSupported: true, defaultValue: true })]
    const node = await testing.MockNode.create({ id, controller, capabilities: { commandClasses } })
    node.defineBehavior(...mocking.createDefaultMockNodeBehaviors())
    controller.addNode(node)
  }
}
