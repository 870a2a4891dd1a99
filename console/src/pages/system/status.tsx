import type { JSX } from 'preact'
import { devicePath } from '../../lib/page-paths.ts'
import type { Status } from '../../lib/admin-contract.ts'
import { unitsOf } from '../../lib/house-units.ts'
import { ErrorLine, Sentence, Loading, useAction } from '../../parts/action.tsx'
import { Age, Button, Card, Chip, Fact, Icon, LastTime, useShowMore } from '../../parts/page.tsx'
import { attentionPath } from '../../stores/attention-path.ts'
import { floors } from '../../stores/floors.ts'
import { dateWords } from '../../stores/home-time.ts'
import { connected, deviceOf, house } from '../../stores/home.ts'
import { status, statusAt, setStatus } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { bytes, span } from '../../words/measures.ts'
import { words } from '../../words/system.ts'

const HERE = '/console/system'

/** Status of the gateway, updated every ten seconds. */
export function StatusPart(): JSX.Element {
  // The stream may take ten seconds to send its first status.
  const first = useResource(async () => setStatus(await admin.call('get', '/admin/v1/status')))
  const now = status.value
  if (now === null) return <Loading {...first} />
  return (
    <>
      {connected.value || <Outdated />}
      <Attention status={now} />
      <div class="sheets">
        <Units status={now} />
        <Storage status={now} />
        <Gateway status={now} />
        <Reachability status={now} />
      </div>
      <Counters counters={now.linkCounters} />
    </>
  )
}

/** Age of the status while the connection is down. */
const Outdated = (): JSX.Element => (
  <p class="frombefore">
    <Icon name="unreachable" />
    <span>
      {words.asOf} {statusAt.value !== null && <Age at={statusAt.value} />}
    </span>
  </p>
)

/** Incidents and problems, or one line if there are none. */
function Attention({ status: now }: { readonly status: Status }): JSX.Element | null {
  const upTo = now.incidents.at(-1)?.id
  const answer = useAction(async (send: () => Promise<unknown>) => {
    await send()
    setStatus(await admin.call('get', '/admin/v1/status'))
  })
  const button = (name: string, send: () => Promise<unknown>): JSX.Element => (
    <Button label={name} aria-disabled={answer.busy} onClick={() => void answer.run(send)} />
  )
  if (now.attention.length === 0)
    return !connected.value ? null : (
      <p class="allwell">
        <Icon name="check" />
        {words.allWell}
      </p>
    )
  return (
    <Card title={words.attention}>
      <ul class="troubles">
        {now.attention.map((problem) => (
          <li key={problem.what}>
            <Icon name="alert" />
            <span>
              <ProblemText {...problem} />{' '}
              {problem.at !== null && (
                <small class="muted">
                  <Age at={problem.at} />
                </small>
              )}
              {problem.jump !== undefined && (
                <span class="actions">
                  {(['count', 'other_meter'] as const).map((choice) =>
                    button(words.jumpAnswers[choice], () =>
                      admin.call('post', '/admin/v1/energy/jumps/{id}', {
                        path: { id: problem.jump ?? '' },
                        body: { answer: choice },
                      }),
                    ),
                  )}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <ErrorLine message={answer.message} />
      {upTo !== undefined && (
        <div class="actions">
          {button(words.acknowledge, () => admin.call('post', '/admin/v1/incidents/acknowledge', { body: { upTo } }))}
        </div>
      )}
    </Card>
  )
}

/** Links the text if another page can solve the problem. */
function ProblemText(problem: Status['attention'][number]): JSX.Element {
  const path = attentionPath(problem, floors.value)
  return path === HERE ? (
    <Sentence>{problem.what}</Sentence>
  ) : (
    <a href={path}>
      <Sentence>{problem.what}</Sentence>
    </a>
  )
}

function Units({ status: { units } }: { readonly status: Status }): JSX.Element {
  const isUp = units.link === 'up'
  const line = connected.value ? words.lineIs : words.lineWas
  return (
    <Card
      title={words.units}
      aside={connected.value && <Chip tone={isUp ? 'ok' : 'danger'}>{isUp ? words.lineUp : words.lineDown}</Chip>}
    >
      <dl class="facts">
        <Fact term={words.line}>{line(units.link)}</Fact>
        <Fact term={words.answering}>
          {words.ofUnits(units.inTheHouse - units.unreachable.length, units.inTheHouse)}
        </Fact>
        {units.withoutPlace > 0 && <Fact term={words.withoutPlace}>{words.placeThem(units.withoutPlace)}</Fact>}
      </dl>
      <SilentUnits />
    </Card>
  )
}

function Storage({ status: { disk, history, configuration } }: { readonly status: Status }): JSX.Element {
  const tone = disk.state === 'ok' ? 'ok' : disk.state === 'low' ? 'warn' : 'danger'
  return (
    <Card title={words.storage} aside={connected.value && <Chip tone={tone}>{words.diskStates[disk.state]}</Chip>}>
      <dl class="facts">
        <Fact term={words.disk}>
          <meter
            aria-label={words.disk}
            min={0}
            max={disk.bytes}
            value={disk.bytes - disk.bytesFree}
            high={disk.bytes * 0.9}
          />
          {words.diskFree(bytes(disk.bytesFree), bytes(disk.bytes))}
        </Fact>
        <Fact term={words.history}>{bytes(history.bytes)}</Fact>
        <Fact term={words.written}>{words.rows(history.written)}</Fact>
        {history.shed > 0 && <Fact term={words.shed}>{words.rows(history.shed)}</Fact>}
        {history.failed > 0 && <Fact term={words.notWritten}>{words.rows(history.failed)}</Fact>}
        <Fact term={words.configuration}>{bytes(configuration.bytes)}</Fact>
      </dl>
    </Card>
  )
}

function Gateway({ status: now }: { readonly status: Status }): JSX.Element {
  return (
    <Card title={words.gateway}>
      <dl class="facts">
        <Fact term={words.home}>{house.value?.house ?? now.home}</Fact>
        <Fact term={words.gatewayId}>{now.gateway}</Fact>
        <Fact term={words.up}>{span(now.upSeconds)}</Fact>
        <Fact term={words.memory}>{bytes(now.memory.residentMiB * 2 ** 20)}</Fact>
        <Fact term={words.certificate}>
          <a href="/console/system/certificates">{words.until(dateWords(Date.parse(now.certificateUntil)))}</a>
        </Fact>
        <Fact term={words.turnedAway}>
          <a href="/console/system/failures">{words.inADay(now.failedAuthentications)}</a>
        </Fact>
      </dl>
    </Card>
  )
}

function Reachability({ status: now }: { readonly status: Status }): JSX.Element {
  const places = [`hm-${now.gateway}.local`, ...now.addresses].map((place) =>
    place.includes(':') ? `[${place}]` : place,
  )
  return (
    <Card title={words.reached}>
      <dl class="facts">
        <Fact term={words.addresses}>
          <ul>
            {places.map((place) => (
              <li key={place}>
                <code>{`https://${place}:${now.port}`}</code>
              </li>
            ))}
          </ul>
        </Fact>
        <Fact term={words.programs}>
          <a href="/console/access">{words.programsOf(now.integrations)}</a>
        </Fact>
        <Fact term={words.streams}>{words.listening(now.streams?.sockets ?? 0, now.streams?.listening ?? 0)}</Fact>
        <Fact term={words.relay}>
          <a href="/console/system/relay">{words.relayStates[now.relay.state]}</a>
        </Fact>
      </dl>
    </Card>
  )
}

const COUNTER_NAMES: Readonly<Record<string, string>> = words.counters

/** Counters of the line to the units since the start, to find a bad cable. */
function Counters({ counters }: { readonly counters: Status['linkCounters'] }): JSX.Element {
  return (
    <details class="card more">
      <summary>{words.lineCounters}</summary>
      <dl class="facts">
        {Object.entries(COUNTER_NAMES).map(([id, name]) => (
          <Fact key={id} term={name}>
            {(counters[id] ?? 0).toLocaleString()}
          </Fact>
        ))}
      </dl>
    </details>
  )
}

/** Units per step of the list; without a line no unit answers. */
const UNITS_STEP = 20

/** Units that do not answer, live, with links to their pages. */
function SilentUnits(): JSX.Element | null {
  const units = house.value === null ? [] : unitsOf(house.value)
  const silent = units.filter(({ id, reachable }) => !(deviceOf(id).value?.reachable ?? reachable))
  const [visible, more] = useShowMore(silent, UNITS_STEP)
  if (silent.length === 0) return null
  return (
    <ul class="rows" aria-label={words.silentUnits}>
      {visible.map(({ id, name, lastSeen }) => (
        <li key={id}>
          <a href={devicePath(id)}>{name}</a>
          <span class="muted">
            <LastTime at={lastSeen} label={words.lastReport} never={words.noReport} />
          </span>
        </li>
      ))}
      {more && <li>{more}</li>}
    </ul>
  )
}
