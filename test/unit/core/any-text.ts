import fc from 'fast-check'

/** Any UTF-16 at all, half surrogate pairs, NUL and control characters included; often ASCII. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
)
