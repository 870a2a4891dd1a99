import type { Server } from 'node:http'
import { freePort } from '#support/free-port.ts'
import { DEVICES, host } from './host.ts'

interface Thing {
  addProperty(property: unknown): void
}

interface WebThing {
  readonly Thing: new (id: string, title: string, type: readonly string[]) => Thing
  readonly Property: new (thing: Thing, name: string, value: unknown, metadata: object) => unknown
  readonly Value: new (initial: unknown, forward: (value: unknown) => void) => unknown
  readonly MultipleThings: new (things: readonly Thing[], name: string) => unknown
  readonly WebThingServer: new (things: unknown, port: number) => { readonly server: Server }
}

/** Switches of the WebThings library, over plain http. */
await host(async (take) => {
  const { Thing, Property, Value, MultipleThings, WebThingServer } = take('webthing') as WebThing
  const things = Array.from({ length: DEVICES }, (_, number) => {
    const thing = new Thing(`urn:switch-${number}`, `Switch ${number}`, ['OnOffSwitch'])
    const value = new Value(true, () => {})
    thing.addProperty(new Property(thing, 'on', value, { '@type': 'OnOffProperty', type: 'boolean' }))
    return thing
  })
  const port = await freePort()
  const { server } = new WebThingServer(new MultipleThings(things, 'Bench'), port)
  // The library's start would announce the server and listen on every address.
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { port }
})
