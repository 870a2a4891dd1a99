/** JSON as it travels. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A JSON Schema (2020-12) of an intent's value: the `Shape` of Spec 2.7. */
export type Shape = { readonly [keyword: string]: Json }

/** One shape that stands for several: the shape itself where they agree. */
export function anyOf(shapes: readonly Shape[]): Shape {
  const distinct = [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()]
  const [only, ...others] = distinct
  if (only === undefined) throw new Error('a shape needs at least one alternative')
  return others.length === 0 ? only : { anyOf: distinct }
}
