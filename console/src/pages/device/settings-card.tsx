import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { localIdOf } from '../../lib/page-paths.ts'
import type { IntentsShowAnswer, SettingInWords } from '../../lib/admin-contract.ts'
import { ErrorBox } from '../../parts/action.tsx'
import { Age, Card, Chip } from '../../parts/page.tsx'
import { localDevices } from '../../stores/local-devices.ts'
import { useActivityCount, useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/device.ts'
import { capital, words as frame } from '../../words/page-frame.ts'

/** Settings and own schedules of the unit in words, as last read. */
export function SettingsCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const read = () => admin.call('get', '/admin/v1/devices/{id}/intents', { path: { id: localIdOf(id) } })
  const { value, error, reload } = useResource(read, id, useActivityCount(id))
  return (
    <>
      {value?.intents.length !== 0 && (
        <Card id="settings" title={words.settings} aside={value && <ReadTime settings={value.intents} />}>
          {error !== null && <ErrorBox error={error} onRetry={reload} />}
          {value === null && error === null && <p class="wait">{frame.loading}</p>}
          {value !== null && <Settings settings={value.intents} />}
        </Card>
      )}
      {value !== null && <OwnSchedules page={id} {...value} />}
    </>
  )
}

interface OwnSchedulesProps extends Pick<IntentsShowAnswer, 'schedules' | 'schedulesAsOf'> {
  /** Id of the page's device. */
  readonly page: string
}

function OwnSchedules({ page, schedules, schedulesAsOf }: OwnSchedulesProps): JSX.Element | null {
  if (schedules.length === 0) return null
  return (
    <Card
      title={words.ownSchedules}
      aside={
        schedulesAsOf !== null && (
          <span class="hint">
            {words.read} <Age at={schedulesAsOf} />
          </span>
        )
      }
    >
      <p class="hint">{words.ownSchedulesAbout}</p>
      <ul class="links">
        {schedules.map(({ slot, enabled, gang, words: text }) => (
          <li key={slot}>
            <span>{gangWords(page, gang, text)}</span> {!enabled && <Chip>{words.switchedOff}</Chip>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Adds the gang's name to a module's schedule: `Porch lamp: turn on at 18:30`; not on the gang's own page. */
function gangWords(page: string, gang: number | null, text: string): string {
  const [unit] = localIdOf(page).split(':')
  const switched = gang === null ? undefined : localDevices.value.get(`${unit}:${gang}`)
  return switched === undefined || switched.id === page ? capital(text) : words.scheduleOf(switched.name, text)
}

/** Age of the oldest value. */
function ReadTime({ settings }: { settings: readonly SettingInWords[] }): JSX.Element | null {
  const times = settings.flatMap(({ asOf }) => asOf ?? [])
  if (times.length === 0) return null
  return (
    <span class="hint">
      {words.read} <Age at={Math.min(...times)} />
    </span>
  )
}

/** Settings that programs may change; those for electricians are folded. */
function Settings({ settings }: { settings: readonly SettingInWords[] }): JSX.Element {
  const ofUnit = settings.filter(({ access }) => access === 'read_only')
  return (
    <>
      <SettingsTable settings={settings.filter(({ access }) => access !== 'read_only')} />
      {ofUnit.length > 0 && (
        <details>
          <summary>
            {words.ofUnit} ({ofUnit.length})
          </summary>
          <SettingsTable settings={ofUnit} />
        </details>
      )}
    </>
  )
}

/** Space between a number and its unit, where a line must not break. */
const BEFORE_UNIT = /(?<=\d) (?=\p{L}|[°%µ])/gu

function SettingsTable({ settings }: { settings: readonly SettingInWords[] }): JSX.Element | null {
  if (settings.length === 0) return null
  return (
    <table class="settings">
      <thead class="unseen">
        <tr>
          <th scope="col">{words.setting}</th>
          <th scope="col">{words.value}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ intent, title, words: value, guidance }) => (
          <tr key={intent}>
            <th scope="row">
              {title}
              {guidance !== undefined && <small class="hint">{guidance}</small>}
            </th>
            <td>{value?.replaceAll(BEFORE_UNIT, '\u00a0') ?? words.notRead}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
