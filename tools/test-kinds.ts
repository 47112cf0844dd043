import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * What takes long, since it kills processes, fills disks, copies whole platforms, exhausts scripts or compares by the
 * hundred thousand.
 * The gate leaves it to `npm run test:slow`.
 */
const slow = {
  unit: [
    'packages/client/build/package.test.ts',
    'packages/server/src/access/**/*.proof.test.ts',
    'packages/server/src/audit-command.test.ts',
    'packages/server/src/automation/scripts/*.test.ts',
    'packages/server/src/backup.test.ts',
    'packages/server/src/copy.test.ts',
    'packages/server/src/copy/copy-platform.test.ts',
    'packages/server/src/entities/entity-bound.test.ts',
    'packages/server/src/gateway/pipeline/field-names.test.ts',
    'packages/server/src/gateway/pipeline/values-as-stored.test.ts',
    'packages/server/src/gateway/openapi/testing/generators.test.ts',
    'packages/server/src/maintenance/{maintain-entity,maintain-model,purge-entity}.test.ts',
    'packages/server/src/promotion/planted-faults.test.ts',
    'packages/server/src/promotion/promotion-attacks.test.ts',
    'packages/server/src/recount.test.ts',
    'packages/server/src/records/filtering/lookup-races.test.ts',
    'packages/server/src/records/listing/list-paging.test.ts',
    'packages/server/src/records/removals/removal-marks.test.ts',
    'packages/server/src/records/search/words.test.ts',
    'packages/server/src/store/copy-store.test.ts',
    'packages/server/src/store/sqlite/sharing/attached.test.ts',
    'packages/server/src/store/testing/conformance/planted-faults.test.ts',
    'packages/server/src/store/sqlite/testing/power-loss/*.test.ts',
    'packages/server/src/testing/faults/!(access-audited|audited|every-writing-route|turns).test.ts',
    'packages/server/src/testing/older-data/open.test.ts',
    'packages/server/src/testing/worst-cases/app-work.test.ts',
    'packages/server/src/testing/worst-cases/management-work.test.ts',
    'packages/server/src/verify.test.ts',
    'tools/deploy/kubernetes.test.ts',
    'tools/run-tests.test.ts',
  ],
  acceptance: [
    'additions',
    'alert-webhook',
    'backups',
    'backups-cut-off',
    'builder-passwords',
    'call-log',
    'cli-config',
    'cli-data',
    'cli-data-policy',
    'cli-data-seed',
    'cli-data-types',
    'cli-deploy',
    'cli-dev',
    'cli-secrets',
    'cli-sign-in',
    'deployed-nginx',
    'disk-failures',
    'docs-examples',
    'docs-reference',
    'command',
    'command-sign-in-guesses',
    'command-each',
    'compiled-code',
    'computed-fields',
    'converted-fields',
    'decision-cases',
    'deploy-keys',
    'deploy-files',
    'doctor',
    'entity-jobs',
    'event-crash',
    'exhaustion',
    'filled-fields-crash',
    'first-run-killed',
    'greedy-clients',
    'mail-delivery',
    'metering-crash',
    'metrics',
    'observability',
    'operator-doctor',
    'operator-errors',
    'operator-health',
    'person-crash',
    'plan-caps',
    'plan-limits',
    'policy-aliases',
    'platform-keys',
    'promotion-crash',
    'provider-trials',
    'recipes',
    'restart',
    'sign-in-floods',
    'start',
    'supervised',
    'verify',
    'workers',
  ].map((name) => `packages/acceptance/src/${name}.test.ts`),
};

/** What takes a minute or more: it begins first, in processes of its own, so that no core waits for it at the end. */
export const longest: readonly string[] = [
  'packages/acceptance/src/event-crash.test.ts',
  'packages/acceptance/src/nodes.postgres.test.ts',
  'packages/acceptance/src/workers.test.ts',
  'packages/server/src/records/removals/removal-model.test.ts',
  'packages/server/src/testing/worst-cases/app-work.test.ts',
  'packages/server/src/testing/worst-cases/management-work.test.ts',
];

/** What times the largest requests, for about a quarter of an hour: `npm run test:load`. */
const load = ['packages/server/src/testing/worst-cases/load.test.ts'];

/** What drives a real browser; skipped, with a line, where there is none. */
const browser = ['packages/acceptance/src/browser/**/*.test.ts'];

/** What builds the image of `deploy/` and runs it, for several minutes: `npm run test:image`. */
const image = ['packages/acceptance/src/image/*.test.ts'];

/**
 * What looks at commands, processes, proxies and other systems in front of the store, of which it asks nothing that other
 * acceptance tests do not ask. `npm run test:postgres` leaves it out.
 */
export const filesForAnyStore: readonly string[] = [
  'additions',
  'cli-config',
  'cli-data',
  'cli-data-policy',
  'cli-data-seed',
  'cli-data-types',
  'cli-deploy',
  'cli-dev',
  'cli-secrets',
  'cli-sign-in',
  'command',
  'command-sign-in-guesses',
  'compiled-code',
  'deployed-nginx',
  'docs-reference',
  'greedy-clients',
  'mail-delivery',
  'provider-trials',
  'supervised',
  'traces',
  'trusted-proxies',
].map((name) => `packages/acceptance/src/${name}.test.ts`);

interface TestKind {
  readonly globs: readonly string[];
  readonly but?: readonly string[];
}

/**
 * Where the tests of each kind lie. Every `*.test.*` file belongs to exactly one kind; `repository.test.ts` sees to it.
 * Those of `postgres` need a server, those of `citus` a cluster.
 */
export const testKinds = {
  unit: {
    globs: [
      'packages/{contract,server,client,cli,console,docs}/src/**/!(*.postgres|*.citus).test.ts',
      'packages/{client,console,docs,react}/build/*.test.ts',
      'bench/**/*.test.ts',
      'examples/**/*.test.ts',
      'tools/**/*.test.ts',
    ],
    but: [...slow.unit, ...load],
  },
  acceptance: {
    globs: ['packages/acceptance/src/**/!(*.postgres|*.citus).test.ts'],
    but: [...slow.acceptance, ...browser, ...image],
  },
  browser: { globs: browser },
  image: { globs: image },
  'slow-unit': { globs: slow.unit },
  load: { globs: load },
  'slow-acceptance': { globs: slow.acceptance },
  postgres: { globs: ['packages/{server,acceptance}/src/**/*.postgres.test.ts'] },
  citus: { globs: ['packages/{server,acceptance}/src/**/*.citus.test.ts'] },
} as const satisfies Readonly<Record<string, TestKind>>;

export function isTestKind(word: string): word is keyof typeof testKinds {
  return Object.hasOwn(testKinds, word);
}

/** Paths from the root of the repository, with `/`. */
export function testFilesOf(root: string, kind: keyof typeof testKinds): readonly string[] {
  const { globs, but = [] }: TestKind = testKinds[kind];
  return globSync(globs, { cwd: root, exclude: but }).map((path) => path.replaceAll(sep, '/'));
}

/** The acceptance tests of what is stored, quick and slow, which an engine has to pass. */
export function storedFilesOf(root: string): readonly string[] {
  const all = [...testFilesOf(root, 'acceptance'), ...testFilesOf(root, 'slow-acceptance')];
  return all.filter((path) => !filesForAnyStore.includes(path));
}

/** How a file shows that the gate may shorten it (`quick.ts`). */
const shortened = /\b(?:isQuick|thinned|raceKinds|roundsOn|extentOn)\b/;

/** Unit tests of which the gate makes a share of the runs; `npm run test:slow` makes all of them. */
export function shortenedFilesOf(root: string): readonly string[] {
  return testFilesOf(root, 'unit').filter((path) => isShortened(readFileSync(join(root, path), 'utf8')));
}

export function isShortened(text: string): boolean {
  return shortened.test(text);
}
