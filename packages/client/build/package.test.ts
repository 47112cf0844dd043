/** What would be published. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundle } from './bundle.ts';
import { buildPackage } from './package.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const project = mkdtempSync(join(tmpdir(), 'freehold-app-'));
after(() => rmSync(project, { recursive: true, force: true }));
const folder = join(project, 'node_modules', '@freehold', 'client');
buildPackage(folder);

const modules = [
  'batch',
  'caller',
  'client',
  'entity',
  'errors',
  'logic-blocks',
  'management',
  'management/routes',
  'query',
  'reply',
  'schema-types',
  'session',
  'sign-in',
  'tags',
  'transport',
  'types/definition',
  'types/entity-types',
  'types/generate-types',
  'types/input-types',
  'types/system-entities',
  'types/type-text',
  'workspaces',
];
const golden = [
  'LICENSE',
  'README.md',
  'aggregates.d.ts',
  'aggregates.js',
  'package.json',
  'contract/parts-argument.d.ts',
  'contract/problem.d.ts',
  'management/calls.d.ts',
  ...modules.flatMap((name) => [`${name}.js`, `${name}.d.ts`]),
].toSorted();

test('Q08: the package has the files that are named here, and no other', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder });
  const [{ files, unpackedSize }] = JSON.parse(String(packed));
  assert.deepEqual(files.map(({ path }: { readonly path: string }) => path).toSorted(), golden);
  assert.ok(unpackedSize < 350_000, `${unpackedSize} bytes`);
});

test('Q08: no file has a source map, a path of the machine that built it, a value of its environment or a test', () => {
  const secrets = Object.entries(process.env).filter(
    ([name, value = '']) => /TOKEN|SECRET|KEY|PASSWORD/.test(name) && value.length > 8,
  );
  const traces = [
    root,
    homedir(),
    tmpdir(),
    'sourceMappingURL',
    'sourcesContent',
    'node:test',
    ...secrets.map(([, value = '']) => value),
  ];
  for (const path of globSync('**/*', { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile())) {
    const text = readFileSync(join(folder, path), 'utf8');
    for (const trace of traces) assert.ok(!text.includes(trace), `${path} has ${trace}`);
    assert.ok(
      path.endsWith('.json') || path.endsWith('.md') || !/from '(?:node:|@)/.test(text.replaceAll(/^ \*.*$/gm, '')),
      `${path} imports a package`,
    );
  }
});

test('a program imports it from node_modules, with its types, and without those of Node', () => {
  const program = join(project, 'program.ts');
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    program,
    `import { createApp, FreeholdError } from '@freehold/client';
import { createManagement } from '@freehold/client/management';
import { generateTypes } from '@freehold/client/types';
const app = createApp({ url: 'https://x', org: 'o', clientId: 'c', storage: localStorage });
const version: number = (await app.entity('a').get('1')).version;
const management = createManagement({ url: 'https://x' });
const [first] = (await management.call('listEntities', { query: { env: 'test' } })).items;
const name: string | undefined = first?.name;
const definition = await management.call('readEntity', { query: { entityName: 'a' } });
const text: string = generateTypes({ entities: [definition] });
const code: FreeholdError['code'] = 'version_mismatch';
// @ts-expect-error no such environment
await management.call('listEntities', { query: { env: 'live' } });
// @ts-expect-error no code
const other: FreeholdError['code'] = 'none';
console.log(version, name, text, code, other);
`,
  );
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2024', 'dom'], module: 'nodenext', types: [] },
    ...{ strict: true, noEmit: true, skipDefaultLibCheck: true },
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
  assert.deepEqual([status, stdout], [0, '']);
});

test('its JavaScript runs as it is', async () => {
  const client = await import(pathToFileURL(join(folder, 'client.js')).href);
  assert.deepEqual(Object.keys(client).toSorted(), [
    'FreeholdError',
    'VersionConflictError',
    'cel',
    'createApp',
    'etagOf',
  ]);
  const { generateTypes } = await import(pathToFileURL(join(folder, 'types', 'generate-types.js')).href);
  assert.match(generateTypes({ entities: [] }), /^export interface Schema/m);
  const { createManagement } = await import(pathToFileURL(join(folder, 'management.js')).href);
  await assert.rejects(createManagement({ url: 'https://x' }).call('none'), TypeError);
});

test('an app’s page gets less than 12 KB of it, compressed', async () => {
  const code = await bundle();
  const bytes = gzipSync(code, { level: 9 }).length;
  assert.ok(bytes > 2000 && bytes < 12_000, `${bytes} bytes`);
  // Nothing but the web’s own: no Node module, and no code of the contract.
  assert.ok(!/\bimport\s*["'{(*]|require\(|\bprocess\b|\bBuffer\b|typebox/i.test(code));
});
