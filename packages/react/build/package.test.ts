/** What would be published. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildPackage } from './package.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'freehold-react-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));
buildPackage(folder);

const modules = [
  'app-context',
  'evaluations',
  'optimistic',
  'react',
  'read-options',
  'reads',
  'record-keys',
  'register',
  'scope',
  'sign-in',
  'use-can',
  'use-session',
  'use-workspaces',
  'writes',
];

test('Q08: the package has the files that are named here, and no other', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder });
  const [{ files }] = JSON.parse(String(packed));
  assert.deepEqual(
    files.map(({ path }: { readonly path: string }) => path).toSorted(),
    ['LICENSE', 'README.md', 'package.json', ...modules.flatMap((name) => [`${name}.js`, `${name}.d.ts`])].toSorted(),
  );
});

test('Q08: no file has a source map, a path of the machine that built it, or a test', () => {
  for (const path of globSync('*', { cwd: folder })) {
    const text = readFileSync(join(folder, path), 'utf8');
    for (const trace of [root, homedir(), tmpdir(), 'sourceMappingURL', 'node:test'])
      assert.ok(!text.includes(trace), `${path} has ${trace}`);
  }
});

test('its files import each other as JavaScript, and beside them only what the package asks for', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const requested = [
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies),
    'react/jsx-runtime',
  ];
  for (const path of globSync('*.{js,d.ts}', { cwd: folder })) {
    const text = readFileSync(join(folder, path), 'utf8').replaceAll(/^ \*.*$/gm, '');
    for (const [, target = ''] of text.matchAll(/(?:from|import) ["']([^"']+)["']/g)) {
      const isOwn = /^\.\/[\w-]+\.js$/.test(target) && modules.includes(target.slice(2, -3));
      assert.ok(isOwn || requested.includes(target), `${path} imports ${target}`);
    }
  }
});
