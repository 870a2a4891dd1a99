import { HomeTime } from '../../home-time.ts'
import { visible } from '../../print.ts'
import type { ClientContext } from '../client-context.ts'
import { faint } from '../paint.ts'
import { theOne } from '../name-match.ts'

/** `hm why`: the answer first, then what else there is to say. */
export async function why(
  context: ClientContext,
  name: readonly string[],
  { since }: { readonly since?: string },
): Promise<void> {
  const home = await context.open()
  const time = new HomeTime(home.house.timeZone)
  const from = since === undefined ? {} : { from: time.since(since, Date.now()) }
  const { id } = theOne(name.join(' '), [...home.things, ...home.scenes], 'device or scene')
  const answer = await home.ask((client) => client.explain(id, from), id)
  context.show(answer, ({ items }) => {
    const [first, ...others] = items.map(({ what, source }) =>
      source === 'cache' ? faint(visible(what)) : visible(what),
    )
    return first === undefined ? 'Nothing is known of it.' : [first, ...others.map((each) => `  ${each}`)].join('\n')
  })
}
