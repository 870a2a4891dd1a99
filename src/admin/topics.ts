/** What a person may hear of on the console's stream, beside the topics of the service's own (docs/console.md#stream). */
export const ADMIN_TOPICS = ['access', 'activity', 'status'] as const
export type AdminTopic = (typeof ADMIN_TOPICS)[number]

/**
 * Tells the states of one topic: what holds now first, where there is such a thing, until the returned function ends
 * it.
 */
export type AdminTopicSource = (tell: (state: object) => void) => () => void
export type AdminTopics = { readonly [T in AdminTopic]: AdminTopicSource }
