import { z } from 'zod'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { count, text } from './shapes.ts'

const Tables = (what: string) =>
  z
    .looseObject({
      version: count('How many steps brought its tables to where they are.'),
      step: text('The name of the last one.'),
    })
    .meta({ description: what })

const Release = z
  .looseObject({
    version: text('Version of the program.'),
    interface: text('Version of the interface that it serves.'),
    node: text('The Node that runs it.'),
    platform: text('System and processor, such as `linux arm64`.'),
    configuration: Tables('The database of the configuration.'),
    history: Tables('The database of the history.'),
    changes: z
      .looseObject({
        heading: text('The release, with its date where it has one; `Unreleased` for what is not in one yet.'),
        parts: z
          .array(
            z
              .looseObject({
                title: text('Added, Changed, Fixed and the like.'),
                entries: z
                  .array(z.string())
                  .meta({ description: 'One for each change, with Markdown for code alone.' }),
              })
              .meta({ description: 'Changes of one kind.' }),
          )
          .meta({ description: 'In the order of the changelog.' }),
      })
      .meta({ description: 'What the newest release brought; null where the changelog was not installed.' })
      .nullable(),
  })
  .meta({ id: 'Release', description: 'What program runs, and what it made of the databases.' })
export type ReleaseView = Plain<z.output<typeof Release>>

/** What program this is. It asks nobody outside whether there is a newer one. */
export const release = {
  'release.show': endpoint('GET', '/admin/v1/about', {
    summary: 'Which release runs, what is new in it, and the versions of the databases',
    answer: Release,
  }),
} as const
