/** Texts about messages of the home. */
export const words = {
  acknowledge: 'Acknowledge',
  acknowledgeAll: 'Acknowledge all',
  acknowledged: (by: string, when: string): string => `Acknowledged by ${by}, ${when}`,
  empty: 'No messages. Alarms, open doors, lost units and failures appear here.',
  ended: (when: string): string => `Over since ${when}`,
  held: (when: string): string => `Held until ${when}`,
  look: 'Look',
  more: (count: number): string => (count === 1 ? '1 more message' : `${count} more messages`),
  older: 'Show older messages',
  title: 'Messages',
  waits: 'Not acknowledged',
} as const
