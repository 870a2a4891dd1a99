import type { JSX } from 'preact'
import { devicePath } from '../../lib/addresses.ts'
import type { Status } from '../../lib/admin-contract.ts'
import { unitsOf } from '../../lib/house-units.ts'
import { Said, Told, Unread, useAction } from '../../parts/action.tsx'
import { Age, Button, Card, Chip, Fact, Icon, Last, useFirst } from '../../parts/page.tsx'
import { attentionPath } from '../../stores/floor-views.ts'
import { floors } from '../../stores/floors.ts'
import { dateWords } from '../../stores/home-time.ts'
import { connected, deviceOf, house } from '../../stores/home.ts'
import { status, statusAt, tookStatus } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { bytes, span } from '../../words/measures.ts'
import { words } from '../../words/system.ts'

const HERE = '/console/system'

/** How the gateway is doing, as it is told every ten seconds. */
export function StatusPart(): JSX.Element {
  // The first word of the stream may be ten seconds away.
  const first = useReading(async () => tookStatus(await admin.call('get', '/admin/v1/status')))
  const now = status.value
  if (now === null) return <Unread {...first} />
  return (
    <>
      {connected.value || <FromBefore />}
      <Attention status={now} />
      <div class="sheets">
        <Units status={now} />
        <Storage status={now} />
        <Gateway status={now} />
        <Reached status={now} />
      </div>
      <Counters counters={now.linkCounters} />
    </>
  )
}

/** Without a connection nobody knows how the gateway is doing: what stands there has an age, and is no verdict. */
const FromBefore = (): JSX.Element => (
  <p class="frombefore">
    <Icon of="unreachable" />
    <span>
      {words.asOf} {statusAt.value !== null && <Age at={statusAt.value} />}
    </span>
  </p>
)

/** What befell the gateway or needs a person; one line where nothing does. */
function Attention({ status: now }: { readonly status: Status }): JSX.Element | null {
  const upTo = now.incidents.at(-1)?.id
  const answer = useAction(async (send: () => Promise<unknown>) => {
    await send()
    tookStatus(await admin.call('get', '/admin/v1/status'))
  })
  const button = (name: string, send: () => Promise<unknown>): JSX.Element => (
    <Button says={name} aria-disabled={answer.busy} onClick={() => void answer.run(send)} />
  )
  if (now.attention.length === 0)
    return !connected.value ? null : (
      <p class="allwell">
        <Icon of="check" />
        {words.allWell}
      </p>
    )
  return (
    <Card title={words.attention}>
      <ul class="troubles">
        {now.attention.map((each) => (
          <li key={each.what}>
            <Icon of="alert" />
            <span>
              <Trouble {...each} />{' '}
              {each.at !== null && (
                <small class="muted">
                  <Age at={each.at} />
                </small>
              )}
              {each.jump !== undefined && (
                <span class="actions">
                  {(['count', 'other_meter'] as const).map((given) =>
                    button(words.jumpAnswers[given], () =>
                      admin.call('post', '/admin/v1/energy/jumps/{id}', {
                        path: { id: each.jump ?? '' },
                        body: { answer: given },
                      }),
                    ),
                  )}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <Said of={answer.said} />
      {upTo !== undefined && (
        <div class="actions">
          {button(words.acknowledge, () => admin.call('post', '/admin/v1/incidents/acknowledge', { body: { upTo } }))}
        </div>
      )}
    </Card>
  )
}

/** A link, where another page is the place for it. */
function Trouble(trouble: Status['attention'][number]): JSX.Element {
  const path = attentionPath(trouble, floors.value)
  return path === HERE ? (
    <Told>{trouble.what}</Told>
  ) : (
    <a href={path}>
      <Told>{trouble.what}</Told>
    </a>
  )
}

function Units({ status: { units } }: { readonly status: Status }): JSX.Element {
  const isUp = units.link === 'up'
  const line = connected.value ? words.lineIs : words.lineWas
  return (
    <Card
      title={words.units}
      beside={connected.value && <Chip tone={isUp ? 'ok' : 'danger'}>{isUp ? words.lineUp : words.lineDown}</Chip>}
    >
      <dl class="facts">
        <Fact term={words.line}>{line(units.link)}</Fact>
        <Fact term={words.answering}>
          {words.ofUnits(units.inTheHouse - units.unreachable.length, units.inTheHouse)}
        </Fact>
        {units.withoutPlace > 0 && <Fact term={words.withoutPlace}>{words.placeThem(units.withoutPlace)}</Fact>}
      </dl>
      <Silent />
    </Card>
  )
}

function Storage({ status: { disk, history, configuration } }: { readonly status: Status }): JSX.Element {
  const tone = disk.state === 'ok' ? 'ok' : disk.state === 'low' ? 'warn' : 'danger'
  return (
    <Card title={words.storage} beside={connected.value && <Chip tone={tone}>{words.diskStates[disk.state]}</Chip>}>
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

function Reached({ status: now }: { readonly status: Status }): JSX.Element {
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

const NAMES: Readonly<Record<string, string>> = words.counters

/** What the line to the units went through since the start: for finding a bad cable. */
function Counters({ counters }: { readonly counters: Status['linkCounters'] }): JSX.Element {
  return (
    <details class="card more">
      <summary>{words.lineCounters}</summary>
      <dl class="facts">
        {Object.entries(NAMES).map(([id, name]) => (
          <Fact key={id} term={name}>
            {(counters[id] ?? 0).toLocaleString()}
          </Fact>
        ))}
      </dl>
    </details>
  )
}

/** Where the line is lost, none of them does. */
const SHOWN_FIRST = 20

/** The units that do not answer, live, each with where to look. */
function Silent(): JSX.Element | null {
  const units = house.value === null ? [] : unitsOf(house.value)
  const silent = units.filter(({ id, reachable }) => !(deviceOf(id).value?.reachable ?? reachable))
  const [shown, more] = useFirst(silent, SHOWN_FIRST)
  if (silent.length === 0) return null
  return (
    <ul class="rows" aria-label={words.silentUnits}>
      {shown.map(({ id, name, lastSeen }) => (
        <li key={id}>
          <a href={devicePath(id)}>{name}</a>
          <span class="muted">
            <Last at={lastSeen} said={words.lastHeard} never={words.neverHeard} />
          </span>
        </li>
      ))}
      {more && <li>{more}</li>}
    </ul>
  )
}
