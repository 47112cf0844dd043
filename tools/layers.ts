import { posix } from 'node:path';
import { computedTarget, type Import, importsOf } from './imports.ts';
import { isTestFile, type SourceTree } from './source-tree.ts';

/**
 * Which packages a package or a folder of programs may import. Nothing may import the server. The bench measures the
 * platform from outside, so it starts one the way the acceptance tests do.
 */
const packages: Readonly<Record<string, readonly string[]>> = {
  'packages/contract': [],
  'packages/server': ['packages/contract'],
  'packages/client': ['packages/contract'],
  'packages/acceptance': ['packages/contract'],
  'packages/cli': ['packages/client', 'packages/contract'],
  'packages/console': ['packages/client', 'packages/contract'],
  bench: ['packages/acceptance', 'packages/client', 'packages/contract'],
  examples: ['packages/client', 'packages/contract'],
  tools: [],
};

/**
 * Which rooms of the server a room may import: a room by its name, which stands for its top-level files, or single
 * files and folders of a room. Of the store a room sees the port alone; which adapter stands behind it, only the top
 * files know.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    'lib',
    'audit',
    'access',
    'iam',
    'entities',
    'identity',
    'mail',
    'promotion',
    'metering',
    'webhooks',
    'automation',
  ],
  automation: ['lib', 'store/port.ts', 'entities', 'iam', 'promotion'],
  metering: ['lib', 'store/port.ts', 'audit'],
  webhooks: ['lib', 'store/port.ts', 'audit'],
  promotion: ['lib', 'store/port.ts', 'audit', 'entities'],
  identity: ['lib', 'store/port.ts', 'audit', 'entities', 'iam', 'mail'],
  iam: ['lib', 'store/port.ts', 'audit', 'access', 'entities'],
  entities: ['lib', 'store/port.ts', 'store/lost-head.ts', 'audit'],
  audit: ['lib', 'store/port.ts', 'store/chain.ts', 'store/lost-head.ts'],
  upgrade: [
    'lib',
    'store/port.ts',
    'store/chain.ts',
    'store/data-version.ts',
    'store/fingerprint.ts',
    'store/lost-head.ts',
    'audit',
    'identity',
  ],
  backup: ['lib', 'store/online-copy.ts', 'store/data-version.ts'],
  copy: ['lib', 'store/port.ts', 'store/copy-store.ts', 'identity'],
  jobs: ['lib', 'store/port.ts'],
  doctor: ['lib', 'store/postgres/ask-server.ts', 'store/sqlite/ask-file.ts'],
  mail: ['lib'],
  access: ['lib'],
  store: ['lib'],
  // Sees what the others do, and none of them knows it.
  telemetry: ['lib', 'store/port.ts', 'store/intercepted-store.ts', 'gateway'],
  lib: [],
  // Tests of the whole, with stores that fail. What it may import is what puts a platform together.
  'older-data': [
    'compose.ts',
    'config.ts',
    'command-for-tests.ts',
    'backup',
    'upgrade',
    'store/port.ts',
    'store/data-version.ts',
    'store/postgres/test-server.ts',
    'gateway',
    'audit',
    'identity',
    'faults',
    'lib',
  ],
  faults: ['compose.ts', 'config.ts', 'open-spaces.ts', 'gateway', 'audit', 'entities', 'iam', 'identity', 'lib'],
  // Tests of the whole, with the largest that each route takes.
  'worst-cases': ['main.ts', 'compose.ts', 'config.ts', 'gateway', 'lib'],
};

/** Files beside the rooms. They put the rooms together, so they may import all of them; no room imports them. */
const topFiles: readonly string[] = [
  'freehold.ts',
  'main.ts',
  'compose.ts',
  'compose-jobs.ts',
  'config.ts',
  'data-folder.ts',
  'open-spaces.ts',
  'demo.ts',
  'verify.ts',
  'recount.ts',
  'audit-command.ts',
  'stopped-platform.ts',
  'keys.ts',
  'plan.ts',
  'plan-caps.ts',
  'operator-call.ts',
  'backup.ts',
  'restore.ts',
  'copy.ts',
  'doctor.ts',
  'command-line.ts',
  'command-for-tests.ts',
];

/** Tests run on real stores, so the tests of any room may open one. */
const testsMayAlsoImport: readonly string[] = [
  'store/port.ts',
  'store/open-store.ts',
  'store/memory',
  'store/failing-store.ts',
  'store/intercepted-store.ts',
  'store/conformance/store-contents.ts',
  'store/store-for-tests.ts',
];

/** Files and folders beside the `*.test.ts` files that exist for tests, and that nothing else may import. */
const testSupport: readonly string[] = [
  'access/proof',
  'access/reference-evaluator.ts',
  'command-for-tests.ts',
  'faults',
  'older-data',
  'entities/field-types/cases',
  'entities/any-field-for-tests.ts',
  'entities/plain-list-for-tests.ts',
  'entities/crossing.ts',
  'entities/record-bench.ts',
  'entities/rows-for-tests.ts',
  'entities/turn-store.ts',
  'entities/transfer/import-for-tests.ts',
  'entities/transfer/rows-for-tests.ts',
  'gateway/pipeline/raw-request.ts',
  'iam/founded-workspace.ts',
  'identity/oidc/loopback-provider.ts',
  'identity/org-with-team.ts',
  'identity/secrets-in-memory.ts',
  'metering/bench',
  'metering/metered-org.ts',
  'promotion/kinds/cases',
  'promotion/proof',
  'store/bench',
  'store/conformance',
  'store/failing-store.ts',
  'store/postgres/cutting-proxy.ts',

  'store/postgres/platform-on-server.ts',
  'store/postgres/postgres-subject.ts',
  'store/postgres/test-server.ts',
  'store/postgres/with-server.ts',
  'store/sqlite/dying-worker.ts',
  'store/sqlite/filling-process.ts',
  'store/sqlite/holding-process.ts',
  'store/sqlite/power-loss',
  'store/sqlite/temporary-store.ts',
  'store/store-for-tests.ts',
  'worst-cases',
];

/** Rooms that are pure, and with them everything of ours that they reach. */
const pureRooms: readonly string[] = ['access'];

const testTools = /^(node:test|node:assert|fast-check)(\/|$)/;
const serverSource = 'packages/server/src/';

/** Sentences about every import that the tables above do not allow; none when the rooms are kept apart. */
export function checkLayers(tree: SourceTree): readonly string[] {
  const imports = new Map([...tree].map(([path, text]) => [path, importsOf(path, text)]));
  return [...imports].flatMap(([path, found]) => [
    ...misplaced(path),
    ...found.flatMap((one) => {
      const reason = reasonAgainst(path, one.target);
      return reason === undefined ? [] : [`${path}:${one.line} imports ${one.target}: ${reason}`];
    }),
    ...impureReach(path, imports),
  ]);
}

function reasonAgainst(path: string, target: string): string | undefined {
  if (target === computedTarget) return isTestFile(path) ? undefined : 'the name of a module must be a literal';
  return againstPackages(path, target) ?? againstTests(path, target) ?? againstRooms(path, target);
}

function againstPackages(path: string, target: string): string | undefined {
  const from = packageOf(path);
  const to = packageOf(target);
  if (from === undefined || to === undefined || from === to) return undefined;
  return packages[from]?.includes(to) === true ? undefined : `${from} may not import ${to}`;
}

function againstTests(path: string, target: string): string | undefined {
  if (isForTests(path)) return undefined;
  if (isTestFile(target)) return 'only tests import tests';
  if (inServer(path) && testTools.test(target)) return 'only tests import the tools of tests';
  return isForTests(target) ? 'only tests import what exists for tests' : undefined;
}

function againstRooms(path: string, target: string): string | undefined {
  if (!inServer(path)) return undefined;
  const room = roomOf(path);
  if (pureRooms.includes(room) && !inServer(target) && !isForTests(path)) return `${room} is pure: no module but ours`;
  if (!inServer(target) || room === roomOf(target)) return undefined;
  const inside = target.slice(serverSource.length);
  if (isForTests(path) && testsMayAlsoImport.some((entry) => covers(entry, inside))) return undefined;
  if (room === '') return inside.split('/').length <= 2 ? undefined : 'a room is entered through its top-level files';
  const mayImport = rooms[room] ?? [];
  if (mayImport.some((entry) => covers(entry, inside))) return undefined;
  const knowsTheRoom = mayImport.includes(roomOf(target));
  return knowsTheRoom ? 'a room is entered through its top-level files' : `${room} may not import it`;
}

/** `entities` covers its top-level files, `store/port.ts` itself, `store/memory` the file and all of the folder. */
function covers(entry: string, inside: string): boolean {
  if (entry === inside) return true;
  return entry in rooms ? posix.dirname(inside) === entry : inside === `${entry}.ts` || inside.startsWith(`${entry}/`);
}

function misplaced(path: string): readonly string[] {
  if (!inServer(path)) return packageOf(path) === undefined ? [`${path} lies in no package that the table names`] : [];
  const room = roomOf(path);
  if (room !== '') return room in rooms ? [] : [`${path} lies in no room that the table names`];
  const name = posix.basename(path).replace(/\.test\.ts$/, '.ts');
  return topFiles.includes(name) ? [] : [`${path} belongs into a room`];
}

/** A pure room must not get at a clock or a socket through a file that it may import. */
function impureReach(path: string, imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  if (!inServer(path) || !pureRooms.includes(roomOf(path)) || isForTests(path)) return [];
  const reached = new Set<string>([path]);
  for (const file of reached) {
    for (const { target } of imports.get(file) ?? []) {
      if (packageOf(target) !== undefined) reached.add(target);
      else if (file !== path) return [`${path} reaches ${target} through ${file}: ${roomOf(path)} is pure`];
    }
  }
  return [];
}

function packageOf(path: string): string | undefined {
  return Object.keys(packages).find((name) => path.startsWith(`${name}/`));
}

function inServer(path: string): boolean {
  return path.startsWith(serverSource);
}

/** The room of a file of the server; `''` for the files beside the rooms. */
function roomOf(path: string): string {
  const inside = path.slice(serverSource.length);
  return inside.includes('/') ? inside.slice(0, inside.indexOf('/')) : '';
}

function isForTests(path: string): boolean {
  return (
    isTestFile(path) || (inServer(path) && testSupport.some((entry) => covers(entry, path.slice(serverSource.length))))
  );
}
