/**
 * Where the tests of each kind lie. Every `*.test.*` file belongs to exactly one kind; `repository.test.ts` sees to it.
 * Those of `postgres` need a server, and are not run by the gate.
 */
export const testKinds = {
  unit: [
    'packages/{contract,server,client,cli,console}/src/**/!(*.postgres).test.ts',
    'bench/**/*.test.ts',
    'examples/**/*.test.ts',
    'tools/**/*.test.ts',
  ],
  acceptance: ['packages/acceptance/src/**/!(*.postgres).test.ts'],
  postgres: ['packages/{server,acceptance}/src/**/*.postgres.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export function isTestKind(word: string): word is keyof typeof testKinds {
  return Object.hasOwn(testKinds, word);
}
