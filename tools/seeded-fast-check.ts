/** What test files get in place of `fast-check` (`seeded-properties.ts`). */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FREEHOLD_TEST_SEED ?? 7) });

const surrogates = { first: 0xd800, count: 0x800 } as const;

/**
 * The characters of the unit `binary`, in their order. fast-check looks them up in a table of a million characters, which
 * takes a second and 200 MB in each process.
 */
const binary: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - surrogates.count })
  .map((nr) => String.fromCodePoint(nr < surrogates.first ? nr : nr + surrogates.count), numberOf);

/** @throws where it is no character: so that nothing shrinks to it. */
function numberOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== text || !text.isWellFormed())
    throw new Error('this is no character');
  return code < surrogates.first ? code : code - surrogates.count;
}

/** As that of fast-check. */
export function string(constraints: fc.StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string(constraints.unit === 'binary' ? { ...constraints, unit: binary } : constraints);
}

export * from 'fast-check';
// biome-ignore lint/style/noDefaultExport: it stands for a module that is imported by its default.
export default { ...fc, string };
