/** Where the tests of each kind lie. Every `*.test.*` file belongs to exactly one kind; `repository.test.ts` sees to it. */
export const testKinds = {
  unit: [
    'packages/{contract,server,client,cli,console}/src/**/*.test.ts',
    'bench/**/*.test.ts',
    'examples/**/*.test.ts',
    'tools/**/*.test.ts',
  ],
  acceptance: ['packages/acceptance/src/**/*.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export function isTestKind(word: string): word is keyof typeof testKinds {
  return Object.hasOwn(testKinds, word);
}
