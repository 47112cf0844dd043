/** Where the tests of each kind lie. CONTRIBUTING.md says what each kind protects, and when it runs. */
import { globSync } from 'node:fs';
import { matchesGlob, sep } from 'node:path';
import { changedPaths } from './runs/changed.ts';

const server = 'packages/server/src';

function acceptance(...names: readonly string[]): readonly string[] {
  return names.map((name) => `packages/acceptance/src/${name}.test.ts`);
}

/**
 * The acceptance tests of the gate: a file or two for each part of the platform, each cheap. CI runs the others too.
 */
const gateAcceptance = acceptance(
  'access-overview',
  'audit',
  'automation-routes',
  'bad-input',
  'batch',
  'before-events',
  'client',
  'config-items',
  'cors',
  'credentials',
  'data-routes',
  'decisions',
  'encrypted-fields',
  'entity-definitions',
  'escalation',
  'events',
  'export',
  'field-types',
  'filters',
  'founding',
  'hidden-figures',
  'idempotency-of-making',
  'import',
  'inbound-hooks',
  'isolation',
  'list',
  'logic-blocks',
  'lookups',
  'members',
  'paths',
  'policies',
  'promotion-activate',
  'promotion-callers',
  'promotion-diff',
  'promotion-rollback',
  'protocol',
  'routes',
  'runs',
  'search',
  'self',
  'service-keys',
  'settings',
  'sign-up',
  'simulate',
  'suspension',
  'tenancy',
  'token-exchange',
  'unique-values',
  'workspaces',
);

/**
 * Tests of what the store does for the platform, which CI runs on PostgreSQL each time: commits, races, ranges, large
 * records, jobs. All others of what is stored run there at night.
 */
const storeSensitive = acceptance(
  'audit',
  'batch',
  'batch-limits',
  'batch-references',
  'compound-indexes',
  'converted-fields',
  'cursor',
  'entity-changes',
  'entity-jobs',
  'events',
  'export',
  'filled-fields',
  'filters',
  'founding',
  'idempotency',
  'idempotency-of-making',
  'import',
  'isolation',
  'jobs',
  'large-records',
  'list',
  'lookup-arrays',
  'lookup-sorts',
  'lookups',
  'org-invitation-races',
  'owner-and-parent',
  'plan-limits',
  'promotion-activate',
  'promotion-races',
  'promotion-rollback',
  'renamed-fields',
  'runs',
  'search',
  'transactions',
  'unique-values',
  'workspaces',
);

/** What CI runs where the code that it protects has changed, and at night. */
export interface WatchedTests {
  readonly tests: readonly string[];
  /** Globs of what they protect. */
  readonly protects: readonly string[];
}

const store = [`${server}/store/**`, `${server}/engines/**`];

export const watchedTests: readonly WatchedTests[] = [
  // The proof of indexing takes 5 s and alone sees some wrong decisions among many statements: it is in the gate.
  { tests: [`${server}/access/**/!(indexing).proof.test.ts`], protects: [`${server}/{access,lib}/**`] },
  {
    tests: [
      `${server}/commands/{audit,backup,copy,recount,verify}.test.ts`,
      `${server}/copy/copy-platform.test.ts`,
      `${server}/testing/unwritable-folder.test.ts`,
      `${server}/store/copy-store.test.ts`,
      ...acceptance(
        'backups',
        'backups-cut-off',
        'command-each',
        'disk-failures',
        'doctor',
        'operator-doctor',
        'verify',
      ),
    ],
    protects: [
      ...store,
      `${server}/*.ts`,
      `${server}/{backup,commands,composition,copy,doctor,maintenance,upgrade}/**`,
    ],
  },
  { tests: [`${server}/testing/older-data/open.test.ts`], protects: [`${server}/**/!(*.test).ts`] },
  {
    tests: [
      `${server}/promotion/planted-faults.test.ts`,
      `${server}/store/testing/conformance/planted-faults.test.ts`,
      `${server}/store/sqlite/testing/power-loss/*.test.ts`,
      `${server}/testing/worst-cases/planted-work.test.ts`,
    ],
    protects: [
      `${server}/store/{*.ts,committing/**,sqlite/**,testing/**}`,
      `${server}/promotion/testing/**`,
      `${server}/testing/worst-cases/**`,
    ],
  },
  {
    tests: acceptance(
      'cli-config',
      'cli-data',
      'cli-data-policy',
      'cli-data-seed',
      'cli-data-types',
      'cli-deploy',
      'cli-dev',
      'cli-secrets',
      'cli-sign-in',
    ),
    protects: ['packages/{cli,client}/src/**', 'packages/server/bin/*'],
  },
  { tests: [`${server}/automation/scripts/*.test.ts`], protects: [`${server}/{automation,expressions}/**`] },
  {
    tests: acceptance('event-crash', 'filled-fields-crash', 'metering-crash', 'person-crash', 'promotion-crash'),
    protects: [...store, `${server}/{automation,jobs,maintenance,metering,promotion}/**`],
  },
];

/**
 * Unit tests that the gate leaves to CI: they kill processes, fill disks, compare by the hundred thousand, or need a
 * program that a fresh machine may lack.
 */
const slowUnit: readonly string[] = [
  'packages/client/build/package.test.ts',
  'packages/cli/src/completion/shell-scripts.test.ts',
  'packages/console/src/screens/hooks/hook-example.test.ts',
  `${server}/entities/entity-bound.test.ts`,
  `${server}/{testing/authorize/field-names,authorize/values-as-stored}.test.ts`,
  `${server}/gateway/openapi/testing/lint.test.ts`,
  `${server}/people/oidc/real-provider.test.ts`,
  `${server}/records/reindex/{maintain-entity,maintain-model,purge-entity}.test.ts`,
  `${server}/promotion/archive/config-archive.test.ts`,
  `${server}/promotion/promotion-attacks.test.ts`,
  `${server}/records/filtering/lookup-races.test.ts`,
  `${server}/records/listing/list-paging.test.ts`,
  `${server}/records/removals/removal-marks.test.ts`,
  `${server}/records/search/words.test.ts`,
  `${server}/store/sqlite/attached.test.ts`,
  `${server}/store/sqlite/query/beside-writes.test.ts`,
  `${server}/testing/faults/!(access-audited|audited|every-writing-route|turns).test.ts`,
  `${server}/testing/worst-cases/{app,management}-work.test.ts`,
  'tools/deploy.test.ts',
  'tools/run-tests.test.ts',
];

/** What looks at other systems in front of the platform or below it, or at one more time: at night alone. */
const nightly: readonly string[] = [
  `${server}/gateway/openapi/testing/spectral.test.ts`,
  'tools/deploy/{kubernetes,proxies}.test.ts',
  ...acceptance('deployed-nginx', 'generators/generated-clients', 'nginx', 'proxied', 'slow-senders'),
];

/** Questions to engines, and long reads beside all else: `npm test -- long` asks more of them, and for longer. */
const longReads: readonly string[] = [
  `${server}/records/query/question-model.test.ts`,
  `${server}/store/sqlite/query/{query-model,questions-memory,beside-writes}.test.ts`,
  `${server}/store/postgres/query/query-model.postgres.test.ts`,
  ...acceptance('memory', 'long-reads'),
];

/** What takes a minute or more: it begins first, in processes of its own, so that no core waits for it at the end. */
export const longest: readonly string[] = [
  ...acceptance('event-crash'),
  'packages/acceptance/src/nodes.postgres.test.ts',
  `${server}/records/removals/removal-model.test.ts`,
  `${server}/testing/worst-cases/app-work.test.ts`,
  `${server}/testing/worst-cases/management-work.test.ts`,
];

/** Models that are compared on each engine. */
const storeModels = [
  `${server}/automation/runs/transactions/transaction-model.test.ts`,
  `${server}/records/reindex/fill-model.test.ts`,
  `${server}/promotion/rename-model.test.ts`,
  `${server}/records/filtering/{filter-lookups,lookup-index}-model.test.ts`,
  `${server}/records/listing/compound-lists.test.ts`,
  `${server}/records/removals/removal-model.test.ts`,
  `${server}/records/transactions/record-transaction.test.ts`,
];

/** What asks nothing of the store that others do not ask: it is not repeated on PostgreSQL. */
export const filesForAnyStore: readonly string[] = [
  ...acceptance(
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
    'console-not-built',
    'deployed-nginx',
    'docs-reference',
    'greedy-clients',
    'mail-delivery',
    'memory',
    'provider-trials',
    'supervised',
    'traces',
    'trusted-proxies',
  ),
];

const watched = watchedTests.flatMap(({ tests }) => tests);
const browser = ['packages/acceptance/src/browser/**/*.test.ts'];
const image = ['packages/acceptance/src/image/*.test.ts'];
const release = ['packages/acceptance/src/release/*.test.ts'];
const load = [`${server}/testing/worst-cases/load.test.ts`];
const elsewhere = [...watched, ...nightly, ...browser, ...image, ...release, ...load];

/**
 * Folders of packages that the install of the root leaves out, with the tests that load them: `run-tests.ts` installs a
 * folder before the first of its tests. The gate has none of these.
 */
export const apart: Readonly<Record<string, readonly string[]>> = {
  'packages/acceptance/src/generators': acceptance('generators/generated-clients'),
  'packages/server/src/access/testing/rivals': [`${server}/access/testing/rivals/cedar.proof.test.ts`],
  'tools/outside': [
    'packages/acceptance/src/browser/settings/settings.test.ts',
    ...acceptance('provider-trials', 'traces'),
    `${server}/gateway/openapi/testing/lint.test.ts`,
    `${server}/gateway/openapi/testing/spectral.test.ts`,
    `${server}/people/oidc/real-provider.test.ts`,
    'tools/deploy/kubernetes.test.ts',
  ],
};

/** The folders that must be installed for these tests. */
export function foldersFor(files: readonly string[]): readonly string[] {
  return Object.keys(apart).filter((folder) => apart[folder]?.some((file) => files.includes(file)));
}

interface TestKind {
  readonly globs: readonly string[];
  readonly but?: readonly string[];
}

/**
 * Every `*.test.*` file belongs to exactly one kind; `repository.test.ts` sees to it. Those of `postgres` need a server,
 * `pooler.postgres.test.ts` also PgBouncer, those of `citus` a cluster.
 */
export const testKinds = {
  unit: {
    globs: [
      'packages/{contract,server,client,cli,console,docs,react}/src/**/!(*.postgres|*.citus).test.ts',
      'packages/{client,console,docs,react}/build/*.test.ts',
      'tools/**/*.test.ts',
    ],
    but: [...slowUnit, ...elsewhere],
  },
  acceptance: { globs: gateAcceptance },
  'slow-unit': { globs: slowUnit },
  'slow-acceptance': {
    globs: ['packages/acceptance/src/**/!(*.postgres|*.citus).test.ts'],
    but: [...gateAcceptance, ...elsewhere],
  },
  watched: { globs: watched },
  nightly: { globs: nightly },
  browser: { globs: browser },
  image: { globs: image },
  release: { globs: release },
  load: { globs: load },
  postgres: { globs: ['packages/{server,acceptance}/src/**/*.postgres.test.ts'] },
  citus: { globs: ['packages/{server,acceptance}/src/**/*.citus.test.ts'] },
} as const satisfies Readonly<Record<string, TestKind>>;

/** Files that belong to a kind, and are run once more for another reason. */
export const testSelections: Readonly<Record<string, (root: string) => readonly string[]>> = {
  /** The acceptance tests of what is stored, which an engine has to pass. */
  stored: (root) =>
    globSync(testKinds['slow-acceptance'].globs, { cwd: root, exclude: [...elsewhereButWatched, ...filesForAnyStore] }),
  'store-sensitive': (root) => globSync(storeSensitive, { cwd: root }),
  'store-models': (root) => globSync(storeModels, { cwd: root }),
  long: (root) => globSync(longReads, { cwd: root }),
  /** Those of `watched` that protect what has changed since FREEHOLD_TEST_CHANGED_SINCE, or all of them. */
  'watched-changed': (root) => {
    const since = process.env.FREEHOLD_TEST_CHANGED_SINCE;
    const changed = since === undefined || since === '' ? undefined : changedPaths(root, since);
    const chosen = watchedTests.filter(
      ({ tests, protects }) =>
        changed === undefined ||
        changed.some((path) => [...tests, ...protects].some((glob) => matchesGlob(path, glob))),
    );
    return globSync(
      chosen.flatMap(({ tests }) => tests),
      { cwd: root },
    );
  },
};

const elsewhereButWatched = [...nightly, ...browser, ...image, ...release];

export function isTestKind(word: string): word is keyof typeof testKinds {
  return Object.hasOwn(testKinds, word);
}

/** Paths from the root of the repository, with `/`. */
export function testFilesOf(root: string, kind: keyof typeof testKinds, prefix = ''): readonly string[] {
  const { globs, but = [] }: TestKind = testKinds[kind];
  const found = globSync(globs, { cwd: root, exclude: ['**/node_modules', ...but] }).map((path) =>
    path.replaceAll(sep, '/'),
  );
  return found.filter((path) => path.startsWith(prefix));
}

/** The way a file shows that the gate may shorten it (`quick.ts`). */
const shortened = /\b(?:isQuick|thinned|raceKinds|roundsOn|extentOn)\b/;

export function isShortened(text: string): boolean {
  return shortened.test(text);
}
