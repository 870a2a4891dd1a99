import type { JSX } from 'preact'
import { Loading } from '../../parts/action.tsx'
import { Age, Empty } from '../../parts/page.tsx'
import { status } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** Failed authentications by address. */
export function Failures(): JSX.Element {
  const { value, error, reload } = useResource(
    () => admin.call('get', '/admin/v1/failed-authentications'),
    status.value?.failedAuthentications,
  )
  if (value === null) return <Loading error={error} reload={reload} />
  if (value.failures.length === 0) return <Empty icon="shield" sentence={words.noFailures} />
  return (
    <>
      <p class="muted">{words.aboutFailures}</p>
      <div class="card">
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">{words.address}</th>
              <th scope="col" class="number">
                {words.tries}
              </th>
              <th scope="col">{words.firstTry}</th>
              <th scope="col">{words.lastTry}</th>
            </tr>
          </thead>
          <tbody>
            {value.failures.map(({ address, count, from, to }) => (
              <tr key={`${address}-${from}`}>
                <th scope="row">{address ?? words.furtherAddresses}</th>
                <td class="number" data-label={words.tries}>
                  {count.toLocaleString()}
                </td>
                <td data-label={words.firstTry}>
                  <Age at={from} />
                </td>
                <td data-label={words.lastTry}>
                  <Age at={to} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
