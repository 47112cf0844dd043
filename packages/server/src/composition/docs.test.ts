import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDocs } from './docs.ts';

function folderOf(context: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function listening() {
  const lines: string[] = [];
  const note = (line: string) => {
    lines.push(line);
  };
  return { lines, log: { info: note, warn: note } };
}

test('what was built is served, and nothing else that lies in the folder or beside it', (context) => {
  const { lines, log } = listening();
  const built = ['index.html', 'guides/access.html', 'assets/main-1.js', 'assets/search-1.json'];
  const others = ['assets/main-1.js.map', 'notes.md', '.env', 'assets/main-1.js.br'];
  const files = Object.fromEntries([...built, ...others].map((path) => [`dist/${path}`, path]));
  const state = openDocs(
    { mode: 'production', docs: true },
    log,
    folderOf(context, { ...files, 'src/secret.html': '' }),
  ).current();
  assert.ok(state.is === 'built');
  assert.deepEqual([...state.files.keys()].sort(), built.map((path) => `/${path}`).sort());
  assert.deepEqual(state.files.get('/assets/main-1.js')?.coded, { br: Buffer.from('assets/main-1.js.br') });
  assert.deepEqual(lines, []);
});

test('production says in one line that there are none, and builds none; where they are off it says nothing', (context) => {
  const { lines, log } = listening();
  const folder = folderOf(context, { 'build/build.ts': '', 'node_modules/vite/package.json': '{}' });
  let ended = false;
  const docs = openDocs({ mode: 'production', docs: true }, log, folder);
  docs.build(() => {
    ended = true;
  });
  assert.deepEqual([docs.current().is, ended], ['missing', true]);
  assert.deepEqual(lines, ['the docs are not built: `npm ci && npm run build` builds them for the next start']);
  assert.equal(openDocs({ mode: 'production', docs: false }, log, folder).current().is, 'off');
  assert.equal(lines.length, 1);
});

test('development builds them where they are missing', async (context) => {
  const { lines, log } = listening();
  const build =
    "import { mkdirSync, writeFileSync } from 'node:fs';\nmkdirSync('dist');\nwriteFileSync('dist/index.html', '');\n";
  const folder = folderOf(context, { 'build/build.ts': build, 'node_modules/vite/package.json': '{}' });
  const docs = openDocs({ mode: 'development', docs: true }, log, folder);
  assert.equal(docs.current().is, 'building');
  const ended = Promise.withResolvers<void>();
  docs.build(ended.resolve);
  // Nothing of the platform waits for a build.
  const waiting = setInterval(() => undefined, 1_000);
  await ended.promise;
  clearInterval(waiting);
  assert.equal(docs.current().is, 'built');
  assert.deepEqual(lines, ['building the docs, which takes a few seconds', 'the docs are built']);
});
