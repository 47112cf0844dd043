import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-console-'));
  context.after(() => rmSync(folder, { recursive: true }));
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
  assert.deepEqual(lines, ['the console is not built: `npm run build:console` builds it for the next start']);
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

test('what was built is read once, and a file of an unknown type fails the start', (context) => {
  const folder = folderOf(context);
  const { lines, log } = listening();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<p>');
  writeFileSync(join(folder, 'assets', 'main-1.js'), '1');
  writeFileSync(join(folder, 'assets', 'main-1.js.br'), 'b');
  const state = openConsole(settings, log, folder).current();
  assert.ok(state.is === 'built');
  assert.deepEqual([...state.files.assets.keys()], ['/assets/main-1.js']);
  assert.deepEqual(state.files.assets.get('/assets/main-1.js')?.coded, { br: Buffer.from('b') });
  assert.deepEqual(lines, []);
  writeFileSync(join(folder, 'assets', 'page.exe'), '');
  assert.throws(() => openConsole(settings, log, folder), /unknown type/);
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
