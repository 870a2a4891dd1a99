import { DEVICES, host } from './host.ts'

interface Characteristic {
  readonly iid: number
  onGet(handler: () => unknown): Characteristic
  onSet(handler: (value: unknown) => void): Characteristic
}

interface Accessory {
  readonly aid: number
  addService(service: unknown, name: string): { getCharacteristic(type: unknown): Characteristic }
  addBridgedAccessory(accessory: Accessory): void
  publish(info: object, allowInsecureRequest: boolean): Promise<void>
  on(event: 'listening', listener: (port: number) => void): void
}

interface Hap {
  readonly Accessory: new (name: string, uuid: string) => Accessory
  readonly Bridge: new (name: string, uuid: string) => Accessory
  readonly Service: { readonly Switch: unknown }
  readonly Characteristic: { readonly On: unknown }
  readonly HAPStorage: { setCustomStoragePath(folder: string): void }
  readonly uuid: { generate(of: string): string }
}

interface Advertisers {
  readonly CiaoAdvertiser: { readonly prototype: { startAdvertising(): Promise<void> } }
}

/** The server of homebridge: a bridge of switches over plain http without pairing. */
await host(async (take, scratch) => {
  const hap = take('@homebridge/hap-nodejs') as Hap
  // A bridge on loopback needs no announcement.
  const { CiaoAdvertiser } = take('@homebridge/hap-nodejs/dist/lib/Advertiser') as Advertisers
  CiaoAdvertiser.prototype.startAdvertising = () => Promise.resolve()
  hap.HAPStorage.setCustomStoragePath(scratch)
  const bridge = new hap.Bridge('Bench', hap.uuid.generate('bench'))
  const switches = Array.from({ length: DEVICES }, (_, number) => {
    const accessory = new hap.Accessory(`Switch ${number}`, hap.uuid.generate(`switch ${number}`))
    let on = true
    const power = accessory.addService(hap.Service.Switch, `Switch ${number}`).getCharacteristic(hap.Characteristic.On)
    power.onGet(() => on)
    // Returns nothing, because a value would count as a write response, which a switch does not have.
    power.onSet((value) => {
      on = value === true
    })
    bridge.addBridgedAccessory(accessory)
    return { accessory, power }
  })
  const listening = new Promise<number>((resolve) => bridge.on('listening', resolve))
  await bridge.publish(
    { username: '02:00:00:00:00:01', pincode: '031-45-154', port: 0, category: 2, bind: '127.0.0.1' },
    true,
  )
  const port = await listening
  const places = switches.map(({ accessory, power }) => ({ aid: accessory.aid, iid: power.iid }))
  return { port, places }
})
