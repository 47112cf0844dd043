import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openConsole } from './console.ts';

const settings = {
  mode: 'production',
  console: true,
  managementPort: 4001,
  managementUrl: undefined,
  publicUrl: undefined,
} as const;

/** A folder like `packages/console`, with a program that builds it. */
function folderOf(context: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
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

test('a production start without a console says so in one line, and builds none', (context) => {
  const { lines, log } = listening();
  const opened = openConsole(settings, log, folderOf(context));
  opened.build();
  assert.deepEqual(opened.current(), { is: 'missing' });
  assert.deepEqual(lines, ['the console is not built: `npm ci && npm run build` builds it for the next start']);
});

test('a platform without a console, or without a management gateway, says nothing of it', (context) => {
  for (const without of [{ console: false }, { managementPort: undefined }]) {
    const { lines, log } = listening();
    const opened = openConsole({ ...settings, ...without }, log, folderOf(context));
    opened.build();
    assert.deepEqual(opened.current(), { is: 'off' });
    assert.deepEqual(lines, []);
  }
});

test('what was built is read once, and what others put beside it is not served', (context) => {
  const { lines, log } = listening();
  const paths = ['main-1.js', 'main-1.js.map', '.DS_Store', 'page.exe'].map((name) => `dist/assets/${name}`);
  const files = { 'dist/index.html': '<p>', 'dist/.DS_Store': '', 'dist/assets/main-1.js.br': 'b' };
  const folder = folderOf(context, { ...files, ...Object.fromEntries(paths.map((path) => [path, ''])) });
  const state = openConsole(settings, log, folder).current();
  assert.ok(state.is === 'built');
  assert.deepEqual([...state.files.assets.keys()], ['/assets/main-1.js']);
  assert.deepEqual(state.files.assets.get('/assets/main-1.js')?.coded, { br: Buffer.from('b') });
  assert.deepEqual(lines, []);
});

test('a console that is one file, as in a release, is read like a folder', (context) => {
  const { lines, log } = listening();
  const files = { 'assets/main-1.js': 'const x = 1;', 'assets/main-1.js.br': 'b', 'index.html': '<p>ä' };
  const lengths = Object.entries(files).map(([path, text]) => [path, Buffer.byteLength(text)]);
  const pack = `${JSON.stringify(lengths)}\n${Object.values(files).join('')}`;
  const state = openConsole(settings, log, folderOf(context, { 'dist/site.pack': pack })).current();
  assert.ok(state.is === 'built');
  assert.equal(state.files.page, '<p>ä');
  const [[path, { plain, coded }] = assert.fail(), ...others] = state.files.assets;
  assert.deepEqual([path, String(plain), String(coded.br), others], ['/assets/main-1.js', 'const x = 1;', 'b', []]);
  assert.deepEqual(lines, []);
});

test('browsers reach the app gateway at its public address, else at its port', (context) => {
  const { log } = listening();
  const folder = folderOf(context);
  const local = openConsole(settings, log, folder);
  assert.equal(local.appAddress(), undefined);
  local.openedApp('http://127.0.0.1:4000');
  assert.deepEqual(local.appAddress(), { port: 4000 });
  const publicUrl = 'https://api.example.com';
  const there = openConsole({ ...settings, publicUrl, managementUrl: 'https://example.com/manage' }, log, folder);
  there.openedApp('http://127.0.0.1:4000');
  assert.deepEqual(there.appAddress(), { url: publicUrl });
  assert.deepEqual([local.basePath, there.basePath], ['/', '/manage/']);
});

/** A console in development, or as it is shipped. */
function opened(folder: string, mode: 'development' | 'production') {
  const { lines, log } = listening();
  return { site: openConsole({ ...settings, mode }, log, folder), lines };
}

/** Ends with the build and what is logged of it. */
async function builtBy({ site, lines }: ReturnType<typeof opened>): Promise<void> {
  site.build();
  while (!/console (is|could not be) built|cannot be read/.test(lines.at(-1) ?? ''))
    await new Promise((resolve) => setTimeout(resolve, 10));
}

const vite = { 'node_modules/vite/package.json': '{}' };

test('a console that cannot be read is missing, and the log says why', (context) => {
  // A folder in the place of the page fails for every user that the tests may run as.
  const { site, lines } = opened(folderOf(context, { 'dist/index.html/a.js': '' }), 'production');
  assert.equal(site.current().is, 'missing');
  assert.match(lines.join('\n'), /cannot be read: EISDIR[\s\S]*not built/);
});

test('a browser that comes before the build begins waits for it', (context) => {
  const states = (files: Readonly<Record<string, string>>, mode: 'development' | 'production') =>
    opened(folderOf(context, files), mode).site.current().is;
  const source = { 'build/build.ts': '' };
  assert.equal(states({ ...vite, ...source }, 'development'), 'building');
  assert.equal(states({ ...vite, ...source }, 'production'), 'missing');
  assert.equal(states(source, 'development'), 'missing');
  assert.equal(states({ ...vite, ...source, 'dist/index.html': '' }, 'development'), 'built');
});

test('a build whose files cannot be read leaves the console missing', async (context) => {
  const build = "import { mkdirSync } from 'node:fs';\nmkdirSync('dist/index.html', { recursive: true });\n";
  const console = opened(folderOf(context, { ...vite, 'build/build.ts': build }), 'development');
  await builtBy(console);
  assert.equal(console.site.current().is, 'missing');
});

test('a build that fails leaves the console missing, and the log has what it said', async (context) => {
  const build = "throw new Error(['no', 'luck'].join(' '));\n";
  const console = opened(folderOf(context, { ...vite, 'build/build.ts': build }), 'development');
  await builtBy(console);
  assert.equal(console.site.current().is, 'missing');
  assert.match(console.lines.at(-1) ?? '', /could not be built: [\s\S]*no luck/);
});

test('a console that cannot be read is built again', async (context) => {
  const build = [
    "import { rmSync, writeFileSync } from 'node:fs';",
    "rmSync('dist/index.html', { recursive: true });",
    "writeFileSync('dist/index.html', '');",
  ];
  const files = { ...vite, 'build/build.ts': build.join('\n'), 'dist/index.html/a.js': '' };
  const console = opened(folderOf(context, files), 'development');
  await builtBy(console);
  assert.equal(console.site.current().is, 'built');
});

test('a console is built again once its page or a source is newer than the build', async (context) => {
  for (const changed of ['index.html', 'src/main.ts', 'build/build.ts']) {
    const build = "import { writeFileSync } from 'node:fs';\nwriteFileSync('dist/index.html', '');\n";
    const files = { 'index.html': '', 'src/main.ts': '', 'build/build.ts': build, 'dist/index.html': '' };
    const folder = folderOf(context, { ...vite, ...files });
    // The descriptions of the routes are sources too, and lie where they are.
    const [built, later] = [1, 2].map((hours) => Date.now() / 1000 + hours * 3600) as [number, number];
    for (const name of Object.keys(files)) utimesSync(join(folder, name), built, built);
    const console = opened(folder, 'development');
    console.site.build();
    assert.deepEqual(console.lines, []);
    utimesSync(join(folder, changed), later, later);
    await builtBy(console);
    assert.equal(console.lines.at(-1), 'the console is built', changed);
  }
});
