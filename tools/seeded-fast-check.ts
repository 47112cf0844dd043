/** What test files get in place of `fast-check` (`seeded-properties.ts`). */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FREEHOLD_TEST_SEED ?? 7) });

export * from 'fast-check';
// biome-ignore lint/style/noDefaultExport: it stands for a module that is imported by its default.
export { fc as default };
