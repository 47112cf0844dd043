/** A configuration as a folder: what is written, and what is read of what others have packed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { tarHeader, wholeTarBlocks } from '@freehold/contract/archive/tar';
import fc from 'fast-check';
import { type ConfigItemKind, configItemKinds } from '../../config/config-set.ts';
import { parseStrictJson } from '../../lib/formats/strict-json.ts';
import { Problem } from '../../lib/problem.ts';
import { thinned } from '../../store/testing/quick.ts';
import { configKinds } from '../../testing/config-kinds.ts';
import type { ItemBody } from '../item-storage.ts';
import { readArchive, writeArchive } from './config-archive.ts';

const order: ItemBody = { kind: 'entity', name: 'order', version: 3, content: { definition: { a: 'ä\n☃' } } };
const block: ItemBody = { kind: 'logicblock', name: 'order', version: 1, content: { steps: [] } };
const setting: ItemBody = { kind: 'settings', name: 'auth.app_url', version: 9, content: { value: null } };
const bodies = [setting, order, block];

function archiveOf(items: readonly ItemBody[]): Buffer {
  return Buffer.from([...writeArchive(items)].join(''));
}

const manifest = ['config/freehold.json', '{"format": 1}'] as const;

/** An archive of these files, as a program would write it that knows nothing of configurations. */
function packed(...files: readonly (readonly [string, string | Buffer])[]): Buffer {
  const entries = files.map(([name, content]) => {
    const bytes = Buffer.from(content);
    return Buffer.concat([
      tarHeader(name, bytes.length),
      bytes,
      Buffer.alloc(wholeTarBlocks(bytes.length) - bytes.length),
    ]);
  });
  return Buffer.concat([...entries, Buffer.alloc(1024)]);
}

async function refusal(archive: Buffer): Promise<Problem> {
  try {
    await readArchive(archive);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, 'validation_failed');
    return error;
  }
  return assert.fail('taken');
}

function codes({ details }: Problem): readonly string[] {
  return (details.errors ?? []).map(({ code }) => code);
}

function withoutVersions(items: readonly ItemBody[]) {
  return items.map(({ kind, name, content }) => ({ kind, name, content }));
}

/** The export as a folder on the disk, of which the test makes something else. */
function unpacked(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-archive-'));
  context.after(() => rmSync(folder, { recursive: true }));
  execFileSync('tar', ['xf', '-', '-C', folder], { input: archiveOf(bodies) });
  return folder;
}

test('the same items are the same bytes, in whatever order and at whatever versions they are', () => {
  const one = archiveOf(bodies);
  assert.ok(one.equals(archiveOf(bodies.toReversed().map((body) => ({ ...body, version: 77 })))));
  assert.ok(!one.equals(archiveOf([order, block])));
});

test('an archive is a folder with a file for each item, by name, with two blanks of indentation and an end of line', () => {
  const listed = execFileSync('tar', ['tf', '-'], { input: archiveOf(bodies), encoding: 'utf8' });
  assert.deepEqual(listed.trim().split('\n'), [
    'config/freehold.json',
    'config/entity/order.json',
    'config/logicblock/order.json',
    'config/settings/auth.app_url.json',
  ]);
  const text = execFileSync('tar', ['xOf', '-', 'config/settings/auth.app_url.json'], { input: archiveOf(bodies) });
  assert.equal(text.toString(), '{\n  "value": null\n}\n');
});

/** Whether it can stand in a content at all: some numbers and texts cannot. */
function isKept(content: unknown): boolean {
  try {
    parseStrictJson(JSON.stringify(content));
    return true;
  } catch {
    return false;
  }
}

test('what is written is read again, whatever the items are', async () => {
  const names = fc.stringMatching(/^[a-z][a-z0-9_-]{0,62}$/);
  const item = fc.record({
    kind: fc.constantFrom<ConfigItemKind>(...configItemKinds),
    name: names,
    content: fc.jsonValue().filter(isKept),
  });
  const items = fc.uniqueArray(item, { selector: ({ kind, name }) => `${kind}/${name}`, maxLength: 12 });
  const property = fc.asyncProperty(items, async (some) => {
    const read = await readArchive(archiveOf(some.map((one) => ({ ...one, version: 1 }))));
    const byName = (left: object, right: object) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);
    const plain = some.map(({ kind, name, content }) => ({ kind, name, content: JSON.parse(JSON.stringify(content)) }));
    assert.deepEqual(read.toSorted(byName), plain.toSorted(byName));
  });
  await fc.assert(property, { numRuns: thinned(200) });
});

const packers: readonly (readonly [string, readonly string[]])[] = [
  ['the folder', ['config']],
  ['./, as many do', ['./config']],
  ['everything below .', ['.']],
  ['ustar', ['--format=ustar', 'config']],
  ['pax, with times and owners in notes', ['--format=pax', 'config']],
  ['version 7', ['--format=v7', 'config']],
  ['the oldest of GNU', ['--format=oldgnu', 'config']],
  ['pax, deep in other folders', ['--format=pax', `--transform=s,^,${'deep/'.repeat(30)},`, 'config']],
  ['GNU, deep in other folders', ['--format=gnu', `--transform=s,^,${'deep/'.repeat(30)},`, 'config']],
  ['ustar, deep in other folders', ['--format=ustar', `--transform=s,^,${'deep/'.repeat(20)},`, 'config']],
  ['pax, in a folder with another alphabet', ['--format=pax', '--transform=s,^,größe/,', 'config']],
];

for (const [what, args] of packers)
  test(`a folder that tar packs again is read: ${what}`, async (context) => {
    const folder = unpacked(context);
    const archive = execFileSync('tar', ['-C', folder, '-cf', '-', ...args]);
    const read = (await readArchive(archive)).toSorted((left, right) => (left.kind < right.kind ? -1 : 1));
    assert.deepEqual(read, withoutVersions([order, block, setting]));
  });

test('the archive of a repository is read', async (context) => {
  const folder = unpacked(context);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  assert.equal((await readArchive(git('archive', '--prefix=app/', 'HEAD'))).length, 3);
});

test('what systems and editors put beside the files is passed over', async () => {
  const hidden = [
    '.DS_Store',
    'config/._entity',
    'config/entity/._order.json',
    'config/entity/.order.json.swp',
    '.git/HEAD',
  ];
  const noise = hidden.map((name) => [name, 'junk'] as const);
  assert.deepEqual(await readArchive(packed(...noise, manifest)), []);
});

test('a file that is no item is named', async () => {
  const names = ['README.md', 'config/order.json', 'config/entities/order.json', 'config/entity/order.yaml'];
  for (const name of names) {
    const problem = await refusal(packed(manifest, [name, '{}']));
    assert.deepEqual(codes(problem), ['unknown_file']);
    assert.ok(problem.message.includes(`\`${name}\``), problem.message);
  }
  assert.deepEqual(codes(await refusal(packed(manifest, ['a', ''], ['b', '']))), ['unknown_file', 'unknown_file']);
});

test('an item called like the file that says the format is an item', async () => {
  const item = { kind: 'entity', name: 'freehold', version: 1, content: { format: 5 } } as const;
  assert.deepEqual(await readArchive(archiveOf([item])), withoutVersions([item]));
});

test('what leads out of the folder is refused, and nothing of it is passed over in silence', async (context) => {
  for (const name of ['../config/entity/order.json', 'config/entity/../../x.json', '..'])
    assert.match((await refusal(packed(manifest, [name, '{}']))).message, /leads out of its folder/);
  const folder = unpacked(context);
  symlinkSync('/etc/passwd', join(folder, 'config', 'entity', 'link.json'));
  const archive = execFileSync('tar', ['-C', folder, '-cf', '-', 'config']);
  assert.match((await refusal(archive)).message, /`config\/entity\/link.json` is neither a file nor a folder/);
});

/** A header of another kind than that of a plain file, or with a size that the archive does not have. */
function headerOf(name: string, { kind = '0', link = '', size = 0 }): Buffer {
  const header = Buffer.from(tarHeader(name, size));
  header.write(kind, 156);
  header.write(link, 157);
  header.write(' '.repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

test('Q09: links, names that other systems read otherwise, and sizes that are not there are refused', async () => {
  const whole = packed(manifest, ['config/entity/order.json', '{}']);
  assert.equal((await readArchive(whole)).length, 1);
  const unended = whole.subarray(0, -1024);
  const order = 'config/entity/order.json';
  const wrong: Readonly<Record<string, readonly [readonly Buffer[], RegExp]>> = {
    'a symbolic link': [[headerOf('config/entity/a.json', { kind: '2', link: '/etc/passwd' })], /neither a file nor/],
    'a hard link': [[headerOf('config/entity/a.json', { kind: '1', link: order })], /neither a file nor/],
    'a chain of links': [
      [
        headerOf('config/entity', { kind: '2', link: '/etc' }),
        headerOf('config/a', { kind: '1', link: 'config/entity/passwd' }),
      ],
      /neither a file nor/,
    ],
    'a hidden link': [[headerOf('.git', { kind: '2', link: '/etc' })], /neither a file nor/],
    'a device': [[headerOf('config/entity/a.json', { kind: '3' })], /neither a file nor/],
    'a long name of a link': [[headerOf('a', { kind: 'K' })], /neither a file nor/],
    'an absolute path': [[headerOf('/config/entity/a.json', {})], /leads out of its folder/],
    'a backslash': [[headerOf('..\\config/entity/a.json', {})], /leads out of its folder/],
    'a backslash in a hidden file': [[headerOf('.a\\..\\b', {})], /leads out of its folder/],
    'a folder outside': [[headerOf('../config', { kind: '5' })], /leads out of its folder/],
    'a long name that leads out': [
      [
        packed(['x', '30 path=../config/entity/a.js\n'])
          .subarray(0, -1024)
          .fill(headerOf('x', { kind: 'x', size: 30 }), 0, 512),
        headerOf('config/entity/a.json', {}),
      ],
      /leads out of its folder/,
    ],
    'ten gigabytes': [[headerOf('config/entity/a.json', { size: 10 * 1024 ** 3 })], /not a complete tar archive/],
    'ten gigabytes of a note': [[headerOf('a', { kind: 'x', size: 10 * 1024 ** 3 })], /not a complete tar archive/],
    'an entry twice': [[packed([order, '{}']).subarray(0, -1024)], /`order` is in the archive twice/],
    'the manifest twice': [[packed(manifest).subarray(0, -1024)], /`config\/freehold.json` is in the archive twice/],
  };
  for (const [what, [blocks, message]] of Object.entries(wrong))
    assert.match((await refusal(Buffer.concat([unended, ...blocks, Buffer.alloc(1024)]))).message, message, what);
});

test('an item that is in the archive twice is refused, wherever it lies', async () => {
  const twice = packed(manifest, ['config/entity/order.json', '{}'], ['other/config/entity/order.json', '{}']);
  assert.deepEqual(codes(await refusal(twice)), ['duplicate']);
  assert.match((await refusal(twice)).message, /entity `order` is in the archive twice/);
});

test('an archive that says no format, or another one, is none of a configuration', async () => {
  assert.deepEqual(codes(await refusal(packed())), ['missing_manifest']);
  assert.deepEqual(codes(await refusal(packed(['config/entity/order.json', '{}']))), ['missing_manifest']);
  for (const text of ['{"format": 2}', '{}', 'null', '[]', '"1"', '{"format": "1"}'])
    assert.deepEqual(codes(await refusal(packed([manifest[0], text]))), ['unknown_format'], text);
});

test('a file that is no JSON is named with what is wrong', async () => {
  const bad: readonly (readonly [string | Buffer, RegExp])[] = [
    ['{"a": 1,}', /cannot be read/],
    ['', /cannot be read/],
    ['{"a": 1, "a": 2}', /cannot be read/],
    [Buffer.from([0x22, 0xff, 0x22]), /cannot be read/],
    [Buffer.from('"ä"', 'utf16le'), /cannot be read/],
  ];
  for (const [content, message] of bad) {
    const problem = await refusal(packed(manifest, ['config/entity/order.json', content]));
    assert.deepEqual(codes(problem), ['invalid_json']);
    assert.match(problem.message, message);
    assert.ok(problem.message.includes('`config/entity/order.json`'));
  }
});

test('an archive that is cut, at whatever byte, is not taken for a shorter one', async () => {
  const archive = archiveOf(bodies);
  for (let bytes = 0; bytes <= archive.length - 1024; bytes += 7)
    assert.match((await refusal(archive.subarray(0, bytes))).message, /not a complete tar archive/, `${bytes} bytes`);
});

test('a body that is no archive is reported as such', async () => {
  for (const text of ['hello', '{"items": []}', 'x'.repeat(5000), '\u001f\u008b\b'])
    assert.match((await refusal(Buffer.from(text, 'latin1'))).message, /not a complete tar archive/);
});

test('no two items fall together where letters of both cases are one, and each name has room in an archive', () => {
  const namedAs = (entityName: string) =>
    configKinds.entity.parse(entityName, { definition: { entityName, UpdateParams: [] } });
  assert.ok('content' in namedAs(`a${'b'.repeat(62)}`));
  for (const name of ['aB', 'B', `a${'b'.repeat(63)}`]) assert.ok('errors' in namedAs(name), name);
  for (const kind of configItemKinds) assert.ok(archiveOf([{ ...order, kind, name: `a${'b'.repeat(62)}` }]).length > 0);
});

test('a file of a folder within a kind is an item of that kind only by its own folder', async () => {
  assert.deepEqual(codes(await refusal(packed(manifest, ['config/entity/more/order.json', '{}']))), ['unknown_file']);
});

test('a file that is too long to be read at one go is refused, and none such is written', async () => {
  const long = `{"a":"${'a'.repeat(1024 * 1024)}"}`;
  assert.deepEqual(codes(await refusal(packed(manifest, ['config/logicblock/order.json', long]))), ['too_large']);
  // With two blanks for each level this would be 2 MB.
  let deep: unknown = Array.from({ length: 30_000 }, () => 1);
  for (let level = 0; level < 30; level++) deep = { a: deep };
  const item: ItemBody = { ...block, content: deep };
  assert.deepEqual(await readArchive(archiveOf([item])), withoutVersions([item]));
});
