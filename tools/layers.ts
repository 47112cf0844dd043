import { posix } from 'node:path';
import { cyclesOf } from './cycles.ts';
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
  'packages/react': ['packages/client'],
  'packages/acceptance': ['packages/client', 'packages/contract'],
  'packages/cli': ['packages/client', 'packages/contract'],
  'packages/console': ['packages/client', 'packages/contract', 'packages/docs'],
  'packages/docs': ['packages/contract'],
  bench: ['packages/acceptance', 'packages/client', 'packages/contract'],
  examples: ['packages/client', 'packages/contract', 'packages/react'],
  tools: [],
};

/** Programs that may import more than the others of their folder. */
const programs: Readonly<Record<string, readonly string[]>> = {
  'tools/docs/reference.ts': ['packages/contract'],
  'tools/docs/reserved-names.ts': ['packages/contract', 'packages/server'],
  'tools/docs/reserved-names.test.ts': ['packages/server'],
  // OpenAPI documents are made by the server alone; nothing of it gets into what is built.
  'packages/docs/build/documents.ts': ['packages/server'],
};

/** The store as every module sees it: its port, and what reads, walks and writes by it. */
const storePort: readonly string[] = ['store/port.ts', 'store/walk.ts', 'store/table.ts', 'store/transact.ts'];

/**
 * Which modules of the server a module may import: a module by its name, which stands for its port (or its top-level
 * files, where it has none), or single files and folders. Of the store a module sees the port alone; only the top files
 * know which adapter stands behind it.
 */
export const modules: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    'lib',
    'api',
    'authorize',
    'audit',
    'access',
    'iam',
    'tenancy',
    'schema',
    'config',
    'records',
    'entities',
    'people',
    'workspaces',
    'mail',
    'promotion',
    'metering',
    'webhooks',
    'automation',
    'backup',
  ],
  authorize: [
    'lib',
    'audit',
    'access',
    'tenancy',
    'schema',
    'config',
    'records',
    'iam',
    'people',
    'workspaces',
    'automation',
  ],
  automation: [
    'lib',
    'api',
    ...storePort,
    'audit',
    'people',
    'access',
    'tenancy',
    'schema',
    'config',
    'records',
    'iam',
    'promotion',
    'entities',
    'expressions',
    'mail',
    'work',
  ],
  metering: ['lib', 'api', ...storePort, 'audit', 'tenancy'],
  webhooks: ['lib', 'api', ...storePort, 'audit', 'work'],
  promotion: ['lib', 'api', ...storePort, 'audit', 'tenancy', 'config', 'records'],
  workspaces: [
    'lib',
    'api',
    ...storePort,
    'audit',
    'tenancy',
    'schema',
    'config',
    'records',
    'iam',
    'mail',
    'work',
    'people',
    'privacy',
  ],
  people: [
    'lib',
    'api',
    ...storePort,
    'audit',
    'tenancy',
    'schema',
    'config',
    'records',
    'promotion',
    'iam',
    'mail',
    'expressions',
    'privacy',
  ],
  privacy: ['lib', 'api', ...storePort, 'audit', 'tenancy', 'schema', 'config', 'records', 'work'],
  iam: ['lib', 'api', ...storePort, 'audit', 'access', 'tenancy', 'schema', 'config', 'records', 'entities'],
  entities: ['lib', 'api', ...storePort, 'audit', 'access', 'tenancy', 'schema', 'config', 'records', 'promotion'],
  records: [
    'lib',
    'api',
    ...storePort,
    'store/transaction',
    'store/lost-head.ts',
    'store/measuring.ts',
    'store/tally.ts',
    'audit',
    'tenancy',
    'schema',
    'config',
    'expressions',
    'work',
  ],
  config: ['lib', ...storePort, 'tenancy', 'schema'],
  schema: ['lib', ...storePort, 'tenancy', 'expressions'],
  expressions: ['lib'],
  audit: ['lib', 'api', ...storePort, 'store/chain.ts', 'tenancy'],
  tenancy: ['lib', ...storePort],
  work: ['lib', ...storePort, 'tenancy'],
  upgrade: ['lib', ...storePort, 'store/chain.ts', 'store/data-version.ts', 'audit', 'people'],
  backup: ['lib', 'api', 'audit', 'store/online-copy.ts', 'store/data-version.ts'],
  copy: ['lib', ...storePort, 'store/copy-store.ts', 'people'],
  signals: ['lib', 'store/port.ts'],
  engines: ['lib', ...storePort, 'store/sqlite', 'store/postgres', 'doctor'],
  doctor: ['lib', 'backup', 'store/postgres/ask-server.ts', 'store/sqlite/ask-file.ts'],
  mail: ['lib', 'api'],
  // A client of the platform's own gateways.
  demo: ['lib'],
  access: ['lib'],
  store: ['lib'],
  // Sees what the others do, and none of them knows it.
  telemetry: ['lib', 'api', ...storePort, 'store/intercepted-store.ts', 'gateway'],
  /** The way a module describes its routes, and what a handler gets of a request. */
  api: ['lib'],
  lib: [],
};

/** Modules of which every file may be imported, those of their folders too. */
const openModules: readonly string[] = ['lib', 'api'];

/** Modules that are entered through their `port.ts` alone. */
const modulesWithPort: readonly string[] = [
  'expressions',
  'tenancy',
  'schema',
  'config',
  'records',
  'entities',
  'access',
  'iam',
  'promotion',
  'people',
  'workspaces',
  'privacy',
  'automation',
  'authorize',
];

/**
 * Files beside the modules, and all of the folders beside them. They put the modules together, so they may import all of
 * them; no module imports them.
 */
const topFiles: readonly string[] = ['main.ts', 'config.ts', 'settings.ts'];
const topFolders: readonly string[] = ['commands', 'composition'];

/** Tests run on real stores, so the tests of any module may open one. */
const testsMayAlsoImport: readonly string[] = [...storePort, 'store/intercepted-store.ts'];

/** Modules that are pure, and with them everything of ours that they reach. */
const pureModules: readonly string[] = ['access'];

/** A folder that holds more can no longer be taken in at a glance. Tests count. */
const filesOfFolderMax = 25;
/** A file for each promise. */
const flatFolders: readonly string[] = ['packages/acceptance/src'];

const testTools = /^(node:test|node:assert|fast-check)(\/|$)/;
const serverSource = 'packages/server/src/';

/** Sentences about every import that the tables above do not allow; none when the modules are kept apart. */
export function checkLayers(tree: SourceTree): readonly string[] {
  const imports = new Map([...tree].map(([path, text]) => [path, importsOf(path, text)]));
  return [
    ...[...imports].flatMap(([path, found]) => sentencesAbout(path, found, imports)),
    ...cyclesOf(serverImports(imports)).map((files) => `${files.join(', ')} import one another`),
    ...fullFolders([...tree.keys()]),
  ];
}

function fullFolders(paths: readonly string[]): readonly string[] {
  const filesByFolder = Map.groupBy(paths, posix.dirname);
  return [...filesByFolder]
    .filter(([folder, files]) => files.length > filesOfFolderMax && !flatFolders.includes(folder))
    .map(([folder, files]) => `${folder} holds ${files.length} files at its top, and may hold ${filesOfFolderMax}`);
}

function sentencesAbout(
  path: string,
  found: readonly Import[],
  imports: ReadonlyMap<string, readonly Import[]>,
): readonly string[] {
  return [
    ...misplaced(path),
    ...found.flatMap((one) => {
      const reason = reasonAgainst(path, one.target);
      return reason === undefined ? [] : [`${path}:${one.line} imports ${one.target}: ${reason}`];
    }),
    ...impureReach(path, imports),
  ];
}

/** What the files of the server import, types included, but for the test files. */
function serverImports(imports: ReadonlyMap<string, readonly Import[]>): ReadonlyMap<string, readonly string[]> {
  const ours = [...imports].filter(([path]) => inServer(path) && !isTestFile(path));
  return new Map(ours.map(([path, found]) => [path, found.map(({ target }) => target)]));
}

function reasonAgainst(path: string, target: string): string | undefined {
  if (target === computedTarget) return isTestFile(path) ? undefined : 'the name of a module must be a literal';
  return againstPackages(path, target) ?? againstTests(path, target) ?? againstModules(path, target);
}

function againstPackages(path: string, target: string): string | undefined {
  const from = packageOf(path);
  const to = packageOf(target);
  if (from === undefined || to === undefined || from === to) return undefined;
  const allowed = programs[path] ?? packages[from] ?? [];
  return allowed.includes(to) ? undefined : `${from} may not import ${to}`;
}

function againstTests(path: string, target: string): string | undefined {
  if (isForTests(path)) return undefined;
  if (isTestFile(target)) return 'only tests import tests';
  if (inServer(path) && testTools.test(target)) return 'only tests import the tools of tests';
  return isForTests(target) ? 'only tests import what exists for tests' : undefined;
}

function againstModules(path: string, target: string): string | undefined {
  if (!inServer(path)) return undefined;
  const module = moduleOf(path);
  if (pureModules.includes(module) && !inServer(target) && !isForTests(path))
    return `${module} is pure: no module but ours`;
  if (!inServer(target) || module === moduleOf(target)) return undefined;
  const inside = target.slice(serverSource.length);
  if (isForTests(path) && testMayImport(module, inside)) return undefined;
  if (module === '')
    return inside.split('/').length <= 2 || openModules.some((one) => covers(one, inside))
      ? undefined
      : 'a module is entered through its port or its top-level files';
  const mayImport = modules[module] ?? [];
  if (mayImport.some((entry) => covers(entry, inside))) return undefined;
  const knowsTheModule = mayImport.includes(moduleOf(target));
  return knowsTheModule ? 'a module is entered through its port or its top-level files' : `${module} may not import it`;
}

/**
 * `records` covers its port, `audit` its top-level files, `lib` all of it, and a file or folder itself with what is in
 * it.
 */
function covers(entry: string, inside: string): boolean {
  if (entry === inside || (openModules.includes(entry) && inside.startsWith(`${entry}/`))) return true;
  if (modulesWithPort.includes(entry)) return inside === `${entry}/port.ts`;
  return entry in modules
    ? posix.dirname(inside) === entry
    : inside === `${entry}.ts` || inside.startsWith(`${entry}/`);
}

/** A test sees the insides of the modules that its own may import, and what lies in any folder `testing`. */
function testMayImport(module: string, inside: string): boolean {
  if (isForTests(`${serverSource}${inside}`) || testsMayAlsoImport.some((entry) => covers(entry, inside))) return true;
  return (
    module === '' || module === 'testing' || (modules[module] ?? []).some((entry) => inside.startsWith(`${entry}/`))
  );
}

function misplaced(path: string): readonly string[] {
  if (!inServer(path)) return packageOf(path) === undefined ? [`${path} lies in no package that the table names`] : [];
  const module = moduleOf(path);
  if (module !== '')
    return module in modules || module === 'testing' ? [] : [`${path} lies in no module that the table names`];
  const name = path.slice(serverSource.length).replace(/\.test\.ts$/, '.ts');
  return topFiles.includes(name) || name.includes('/') ? [] : [`${path} belongs into a module`];
}

/** A pure module must not get at a clock or a socket through a file that it may import. */
function impureReach(path: string, imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  if (!inServer(path) || !pureModules.includes(moduleOf(path)) || isForTests(path)) return [];
  const reached = new Set<string>([path]);
  for (const file of reached) {
    for (const { target } of imports.get(file) ?? []) {
      if (packageOf(target) !== undefined) reached.add(target);
      else if (file !== path) return [`${path} reaches ${target} through ${file}: ${moduleOf(path)} is pure`];
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

/** The module of a file of the server; `''` for the files beside the modules, and those that compose them. */
function moduleOf(path: string): string {
  const [folder = '', ...rest] = path.slice(serverSource.length).split('/');
  return rest.length === 0 || topFolders.includes(folder) ? '' : folder;
}

/** Tests, and all that lies in a folder `testing`. */
function isForTests(path: string): boolean {
  return isTestFile(path) || (inServer(path) && path.slice(serverSource.length).split('/').includes('testing'));
}
