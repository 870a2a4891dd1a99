/** Triggers and conditions hold one test of a value: `is`, or one or both of `above` and `below`. */
export const ONE_TEST = 'needs either `is`, or `above` and/or `below`'
/** The same for the documents: generators of clients pass over `not`, so that a trigger stays one plain object. */
export const ONE_TEST_SCHEMA = {
  not: {
    anyOf: [
      { type: 'object', properties: { is: false, above: false, below: false } },
      { type: 'object', properties: { is: true, above: true }, required: ['is', 'above'] },
      { type: 'object', properties: { is: true, below: true }, required: ['is', 'below'] },
    ],
  },
}
export const hasOneTest = (t: { is?: unknown; above?: number | undefined; below?: number | undefined }): boolean =>
  (t.is === undefined) !== (t.above === undefined && t.below === undefined)
