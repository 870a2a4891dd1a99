/** Triggers and conditions hold one test of a value: `is`, or one or both of `above` and `below`. */
export const ONE_TEST = 'needs either `is`, or `above` and/or `below`'
/** The same for the documents: generators of clients pass over `if`, so that a trigger stays one plain object. */
export const ONE_TEST_SCHEMA = {
  if: {
    anyOf: [
      { not: { anyOf: [having('is'), having('above'), having('below')] } },
      having('is', 'above'),
      having('is', 'below'),
    ],
  },
  then: { not: {} },
}
export const hasOneTest = (t: { is?: unknown; above?: number | undefined; below?: number | undefined }): boolean =>
  (t.is === undefined) !== (t.above === undefined && t.below === undefined)

/** An object that has these fields. Generators read no `true` in place of an empty schema. */
function having(...fields: readonly string[]): object {
  return { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, {}])), required: fields }
}
