import { requirementsOf, type Requirement } from '../requirements.ts'

/** What the relay does where the specification says no more than that there is one. */
export const RELAY: readonly Requirement[] = [
  ...requirementsOf('docs/relay.md', [
    [
      'relay.accounts',
      'none',
      'The gateway shows the accounts that are linked now, as the relay says with each welcome.',
    ],
    ['relay.serial', 'none', 'The serial that the page shows is printed beside the code.'],
    ['relay.unlinked', 'none', 'What is open through the relay ends within a second once nobody is linked: 1001.'],
    [
      'relay.target',
      'none',
      'A request target in absolute form is read as in origin form; of another origin it is 421.',
    ],
    ['relay.one-credential', 'none', 'More than one Authorization header is no credential, at home and at the relay.'],
    ['relay.pairing-bodies', 'none', 'Bodies of the device flow are refused at the relay in the words of the gateway.'],
    [
      'relay.request-log',
      'none',
      'The log has a line for each request and each tunnel: route, serial, status, time, reference.',
    ],
    ['relay.left', 'none', 'A client that leaves before its request is whole is no error in the log.'],
    [
      'relay.no-traces',
      'none',
      'Tokens, queries, headers, bodies, ids in paths and names of a home are in no log, store or metric.',
    ],
    ['relay.no-lock-out', 'none', 'Wrong passwords from one address or site keep an account’s owner out at no other.'],
    [
      'relay.counted',
      'none',
      'What the relay counts of tunnels is right also where one ends while its gateway is being told.',
    ],
    ['relay.twice', 'none', 'A form that is sent twice does once what it asks, and shows no error.'],
    ['relay.reset', 'none', 'The operator prints a link that sets a forgotten password: once, within an hour.'],
    [
      'relay.replace-key',
      'none',
      'The operator lets a gateway with a new key have its serial, by the code that it shows.',
    ],
    [
      'relay.replaced-by-owner',
      'none',
      'A linked account gives its home’s serial to a new key by its password alone, and not while the old gateway is connected.',
    ],
    [
      'relay.delete-account',
      'none',
      'An account is deleted by its owner; its homes are unlinked and its sessions end.',
    ],
    ['relay.plain-fields', 'none', 'Fields of forms are there once and without control characters.'],
    [
      'relay.two-homes',
      'none',
      'Ids, codes, tokens and pages of one home tell another home’s account or programs nothing.',
    ],
    ['relay.any-node', 'none', 'Of several nodes any serves any home, and what is linked at one holds at all.'],
    ['relay.two-tunnels', 'none', 'With several nodes a gateway keeps two tunnels, at different ones.'],
    ['relay.node-killed', 'none', 'A node that ends takes with it only what was under way: homes answer at another.'],
    ['relay.without-nats', 'none', 'Without NATS homes that are held or were found are served; all else is 503.'],
    ['relay.known-nodes', 'none', 'Streams are taken from nodes alone that were told a secret over the bus.'],
    ['relay.full-disk', 'none', 'Tokens that the gateway’s disk does not take are refused as such over the tunnel.'],
    [
      'relay.nats-example',
      'none',
      'The example of three nodes keeps everything on three NATS servers, closed to strangers.',
    ],
    [
      'relay.same-key',
      'none',
      'A gateway whose key somebody else uses at the relay learns of it, and tells administrators.',
    ],
    [
      'relay.clock-behind',
      'none',
      'A gateway that is back with its clock behind takes the place of its own connection, and tells of no other.',
    ],
    ['relay.apart', 'none', 'What comes through a relay takes nothing of what addresses at home may try.'],
    ['relay.stop', 'none', 'A relay that is told to stop ends, whatever hangs, and says what held it.'],
    ['relay.pipelined', 'none', 'Of one connection so many requests are under way, and all end with it.'],
    ['relay.linked-page', 'none', 'Whoever has linked a home sees it by its name on the next page.'],
    ['relay.store-away', 'none', 'While the store is away, homes that are linked stay reached.'],
    ['relay.accounts-churn', 'none', 'A relay that names other accounts again and again fills no record of the home.'],
    ['relay.hostile-home', 'none', 'A linked home that says what no gateway would ends nothing but its own tunnel.'],
    ['relay.hung-up', 'none', 'A connection that becomes no stream ends with its answer, whatever was sent behind it.'],
    ['relay.limits', 'none', 'Addresses, homes and nodes have the bounds of docs/limits.md#relay, and no more.'],
    [
      'relay.certificate',
      'none',
      'The operator’s certificate is read anew; what TLS does not take leaves the old one.',
    ],
    ['relay.no-pause', 'none', 'A relay that wants another tunnel again and again is dialled less and less.'],
    [
      'relay.oauth-methods',
      'none',
      'A method that an OAuth endpoint does not take is 405 with `Allow`, in OAuth’s own form.',
    ],
    ['relay.oauth-rate', 'none', 'Who begins too many authorizations sees a page that says for how long.'],
    ['relay.metrics', 'none', 'Metrics are read on loopback, in the text format of Prometheus.'],
  ]),
]
