type Named = Readonly<Record<string, object>>

interface AsyncApi {
  readonly operations: Named
  readonly channels: Readonly<Record<string, { readonly messages: Named }>>
  readonly components: { readonly messages: Named; readonly schemas: Named }
}

/** An AsyncAPI document with every `nth` operation, and what these and each other need: messages, schemas. */
export function withEveryNth(document: AsyncApi, nth: number): AsyncApi {
  const operations = pick(document.operations, (_, index) => index % nth === 0)
  const messages = needed(document.components.messages, 'messages/', [operations])
  const channels = Object.fromEntries(
    Object.entries(document.channels).map(([name, channel]) => [
      name,
      { ...channel, messages: pick(channel.messages, (message) => message in messages) },
    ]),
  )
  const schemas = needed(document.components.schemas, 'schemas/', [messages])
  return { ...document, operations, channels, components: { ...document.components, messages, schemas } }
}

function pick(all: Named, keep: (name: string, index: number) => boolean): Named {
  return Object.fromEntries(Object.entries(all).filter(([name], index) => keep(name, index)))
}

/** Those that are referred to from `first`, and from one another. */
function needed(all: Named, place: string, first: readonly object[]): Named {
  let kept: Named = {}
  for (;;) {
    const text = JSON.stringify([first, kept])
    const found = pick(all, (name) => text.includes(`${place}${name}"`) || text.includes(`${place}${name}/`))
    if (Object.keys(found).length === Object.keys(kept).length) return kept
    kept = found
  }
}
