/** Counts things: `counted('key', 'keys')(2)` is `2 keys`. */
const counted =
  (one: string, many: string) =>
  (count: number): string =>
    `${count} ${count === 1 ? one : many}`

/** Visibility of people by name. */
const EACH = 'each'

/** Texts of the page Access. */
export const words = {
  about:
    'An integration is for one program, or for several that belong together. It sets their view of the home and their permissions.',
  add: 'New integration',
  all: 'Everything',
  allAbout: 'All of the home, including things you add later.',
  appears: 'It will see',
  calendars: 'Calendars',
  connect: 'Connect a program',
  conflictAbout: 'Somebody else saved a change while you were editing:',
  conflictTitle: 'This integration has changed',
  create: 'Create',
  createAbout: 'It sees everything until you pick. No program is connected yet.',
  credentials: 'Connected programs',
  delete: (name: string): string => `Delete ${name}`,
  deleteShort: 'Delete',
  deleteTitle: (name: string): string => `Delete ${name}?`,
  deleted: (name: string): string => `${name} was deleted.`,
  disable: 'Disable',
  disableTitle: (name: string): string => `Disable ${name}?`,
  disabled: 'Disabled',
  disabledNow: (name: string): string => `${name} is disabled. Its programs have no access.`,
  disappears: 'It will lose access to',
  discard: 'Discard',
  empty: 'No devices.',
  enabled: 'Enabled',
  enabledNow: (name: string): string => `${name} is enabled.`,
  endsCredentials: counted('credential stops working.', 'credentials stop working.'),
  endsNobody: 'No program uses it, so nobody else is affected.',
  endsRules: (names: readonly string[]): string => `Turned off, because they open a lock or gate: ${names.join(', ')}.`,
  endsGroupRules: (names: readonly string[]): string =>
    `Turned off, because their groups have the devices that it sees: ${names.join(', ')}.`,
  endsScenes: (names: readonly string[]): string =>
    `Nobody can run these scenes any more, because they open a lock or gate: ${names.join(', ')}.`,
  endsStreams: counted('open connection will be closed.', 'open connections will be closed.'),
  streamsAffected: counted('open connection will be affected.', 'open connections will be affected.'),
  loadingPreview: 'Loading the preview…',
  forget: 'Forget',
  missing: 'Picked, but no longer in the home',
  inNoRoom: 'Without a room',
  keepBoth: 'Keep both changes',
  kindOf: { key: 'Key', agent: 'Agent', session: 'Agent, for one session' },
  kinds: {
    floor: 'Floor',
    room: 'Room',
    unit: 'Device',
    module: 'Module',
    whole_module: 'Sensor and settings of the module',
    gang: 'Gang',
    scene: 'Scene',
    group: 'Group',
    mode: 'Mode',
    person: 'Person',
    calendar: 'Calendar',
    automation: 'Automation',
    schedule: 'Schedule',
  },
  knobOff: 'Rename turns off, because there is nothing left to rename',
  lastUsed: 'last used',
  may: 'May',
  modeOfHome: 'Mode of the home',
  more: (count: number): string => `and ${count} more`,
  mixed: (visible: number, all: number): string => `${visible} of ${all}`,
  nameHint: 'For example the program, or the device it runs on.',
  neverUsed: 'never used',
  none: 'No program can see this home yet.',
  noneIn: 'No program is connected yet.',
  nothingPicked: 'Pick at least one thing, or choose Everything.',
  mayReport: (name: string): string => `May report the presence of ${name}`,
  people: 'People',
  peopleChoices: { none: 'No people', anyone: 'Anyone', [EACH]: 'Each person' },
  peopleMean: {
    none: 'No people, even with everything else.',
    anyone: 'Whether anyone is home, but no names.',
    [EACH]: 'The name and presence of each person.',
  },
  picksAdded: 'Picked',
  picksRemoved: 'Removed',
  picked: 'Only what I pick',
  pickedAbout: 'A picked floor or room includes its devices, even if they change later. Pick scenes one by one.',
  pickedHere: 'also later',
  preview: 'Preview',
  previewAbout: 'The home as its programs see it.',
  previewAboutDraft: 'The home as its programs will see it after you save.',
  previewNothing: 'It sees no part of the home.',
  previewTitle: (name: string): string => `The home as ${name} sees it`,
  rename: 'Rename',
  renameTitle: 'Rename the integration',
  renamed: (name: string): string => `Renamed to ${name}.`,
  revoke: 'Revoke',
  revokeNamed: (name: string): string => `Revoke ${name}`,
  revokeTitle: (name: string): string => `Revoke ${name}?`,
  revoked: (name: string): string => `${name} was revoked.`,
  revokeIsFinal: 'You cannot undo this. To connect the program again, create a new credential.',
  rooms: counted('room', 'rooms'),
  save: 'Save',
  saved: (name: string): string => `${name} was saved.`,
  saving: 'Unsaved changes',
  sum: (appears: number, disappears: number): string =>
    [
      ...(appears > 0 ? [`+ ${counted('thing appears', 'things appear')(appears)}`] : []),
      ...(disappears > 0 ? [`− ${counted('thing disappears', 'things disappear')(disappears)}`] : []),
    ].join(', ') + '.',
  savingNothing: 'Nothing appears or disappears.',
  scenes: 'Scenes',
  groups: 'Groups',
  sees: 'Sees',
  seesAll: 'Sees everything',
  seesPicked: (parts: string): string => `Sees ${parts}`,
  stale: 'Not used for 90 days',
  states: {
    active: 'Active',
    suspended: 'Suspended: agent access is off',
    expired: 'Expired',
    ended: 'Ended',
    disabled: 'Disabled',
  },
  streams: counted('open connection', 'open connections'),
  takeTheirs: 'Discard my change',
  things: counted('thing', 'things'),
  recordOf: (name: string): string => `Record of ${name}`,
  recordOfAbout: 'The view and permissions of a member or wall tablet, removed under System → Persons.',
  ofTablet: 'Wall tablet',
  toList: 'All integrations',
  tree: 'What it sees',
  unknown: 'This integration no longer exists.',
  unsaved: 'Not saved yet',
  via: { home: 'at home', cloud: 'through the relay' },
  which: 'Which',
  with: (name: string): string => `comes with ${name}`,
  parts: {
    floor: counted('floor', 'floors'),
    room: counted('room', 'rooms'),
    unit: counted('device', 'devices'),
    gang: counted('gang', 'gangs'),
    scene: counted('scene', 'scenes'),
    group: counted('group', 'groups'),
  },
  credentialKinds: {
    key: counted('key', 'keys'),
    agent: counted('agent', 'agents'),
    session: counted('session', 'sessions'),
  },
  unnamed: 'Without a name',
} as const

/** Texts about the time in which a record has access. */
export const timeWords = {
  title: 'When',
  until: 'Access ends',
  noEnd: 'Without a date its access does not end by itself.',
  ends: 'Its automations that open a lock or gate are then switched off.',
  hours: 'Weekly hours',
  always: 'It has access at any hour.',
  onlyThen: 'It has access only in these hours, in the time zone of the home.',
  addHours: 'Add hours',
  removeHours: (window: string): string => `Remove ${window}`,
  from: 'from',
  to: 'to',
  day: (label: string): string => `Day, ${label}`,
  time: (label: string): string => `Time, ${label}`,
  days: { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' },
  state: { outside_hours: 'Outside its hours', ended: 'Its time has ended', clock_doubted: 'Waits for the right time' },
  opens: (moment: string): string => `opens ${moment}`,
} as const

/** Texts about the permission to open locks and gates. */
export const doorWords = {
  title: 'May open doors',
  choices: { no: 'No', ask: 'Ask me', yes: 'Yes' },
  means: {
    no: 'It cannot open locks or gates.',
    ask: 'An administrator confirms each opening.',
    yes: 'It can open locks and gates. You confirm each opening by an agent.',
  },
  byPin: 'After its PIN',
  byPinMeans: 'It can open locks and gates after its PIN.',
} as const

/** The knobs with the meaning of their values. */
export const knobWords = {
  knobs: {
    advanced_config: {
      name: 'Unit settings',
      values: { off: 'None', read: 'Read', read_write: 'Read and change' },
      means: {
        off: 'It can neither read nor change unit settings.',
        read: 'It can read unit settings, but not change them.',
        read_write: 'It can read and change unit settings.',
      },
    },
    structural: {
      name: 'Rename',
      means: { off: 'It cannot rename anything.', on: 'It can rename the rooms, units and gangs that it sees.' },
    },
    automations: {
      name: 'Automations',
      means: {
        off: 'It cannot see automations. The ones it created keep running.',
        on: 'It can see, change and create automations for things that it sees.',
      },
    },
    schedules: {
      name: 'Schedules',
      means: {
        off: 'It cannot see schedules. The ones it created keep running.',
        on: 'It can see, change and create schedules, and read the units’ own schedules.',
      },
    },
    agent_access: {
      name: 'Agents',
      means: {
        off: 'Agents cannot connect, and connected ones are suspended.',
        on: 'Agents can ask for access, and you decide each time.',
      },
    },
    cloud_access: {
      name: 'From outside',
      means: { off: 'It works only in the home network.', on: 'It also works through the relay.' },
    },
    mdns: {
      name: 'Announce',
      means: {
        off: 'The gateway does not announce itself for this integration.',
        on: 'Programs in the home network find the gateway automatically.',
      },
    },
    allow_unlock: {
      name: 'Unlock',
      means: {
        off: 'It cannot open locks or gates.',
        on: 'It can open locks and gates. You confirm each opening by an agent.',
      },
    },
    may_tell: {
      name: 'Messages',
      means: {
        off: 'Its automations and schedules send no messages to people.',
        on: 'Its automations and schedules can send messages to people.',
      },
    },
  },
  structuralNeeds: 'Available if it sees everything, a floor or a room.',
} as const
