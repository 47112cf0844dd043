/** Restores of files that no backup has written. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { tarBlockBytes, tarHeader, wholeTarBlocks } from '@freehold/contract/archive/tar';
import { formatVersion, type Manifest, manifestName, secretsName, storeNames } from './archive.ts';
import { restoreBackup } from './restore-backup.ts';

interface Entry {
  readonly name: string;
  readonly content?: string;
  /** `1` for a hard link, `2` for a symbolic one, `5` for a folder. */
  readonly kind?: string;
  readonly link?: string;
  /** The size that the header says, where it is another one. */
  readonly size?: number;
}

function packed(...entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * tarBlockBytes)]);
}

function blocksOf({ name, content = '', kind = '0', link = '', size }: Entry): readonly Buffer[] {
  const bytes = Buffer.from(content);
  const header = Buffer.from(tarHeader(name, size ?? bytes.length));
  header.write(kind, 156);
  header.write(link, 157);
  header.write(' '.repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, bytes, Buffer.alloc(wholeTarBlocks(bytes.length) - bytes.length)];
}

const parts = ([...storeNames, secretsName] as const).map((name) => ({ name, content: `what was in ${name}` }));
const entryOf = (name: string): Entry => parts.find((part) => part.name === name) ?? { name };

const manifest: Manifest = {
  format: 'freehold-backup',
  version: formatVersion,
  created_at: '2026-01-01T00:00:00.000Z',
  store: 'sqlite',
  parts: parts.map(({ name, content }) => ({
    name,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  })),
};

function manifestWith(more: readonly object[] = [], change: (part: object) => object = (part) => part): Entry {
  return {
    name: manifestName,
    content: JSON.stringify({ ...manifest, parts: [...manifest.parts.map(change), ...more] }),
  };
}

const ten = 10 * 1024 ** 3;
const whole = [manifestWith(), ...parts];
const without = (name: string) => whole.filter((entry) => entry.name !== name);

const hostile: Readonly<Record<string, readonly Entry[]>> = {
  'a symbolic link in the place of a part': [
    ...without('prod.db'),
    { name: 'prod.db', kind: '2', link: '/etc/passwd' },
  ],
  'a hard link in the place of a part': [...without('prod.db'), { name: 'prod.db', kind: '1', link: 'test.db' }],
  'a symbolic link before the part that goes through it': [
    manifestWith(),
    { name: 'prod.db', kind: '2', link: '/etc/passwd' },
    ...parts,
  ],
  'a chain of a symbolic and a hard link': [
    manifestWith(),
    { name: 'a', kind: '2', link: '/etc' },
    { name: 'b', kind: '1', link: 'a/passwd' },
    { name: 'b', content: 'x' },
    ...parts,
  ],
  'a link with a content that is that of the part': [
    ...without('prod.db'),
    { ...entryOf('prod.db'), kind: '2', link: '/etc/passwd' },
  ],
  'a folder': [...whole, { name: 'folder/', kind: '5' }],
  'a device': [...whole, { name: 'disk', kind: '3' }],
  'another name for the next entry': [manifestWith(), { name: 'x', kind: 'x', content: '18 path=../x.db\n' }, ...parts],
  'a path that leaves the folder': [...whole, { name: '../x.db' }],
  'an absolute path': [...whole, { name: '/x.db' }],
  'a backslash': [...whole, { name: '..\\x.db' }],
  'twins in Unicode': [...whole, { name: 'n\u00f6te.db' }, { name: 'no\u0308te.db' }],
  'a name that differs in case': [...whole, { name: 'PROD.DB' }],
  'an entry twice': [...whole, entryOf('prod.db')],
  'the manifest twice': [manifestWith(), ...whole],
  'a part twice in the manifest': [manifestWith([...manifest.parts.slice(0, 1)]), ...parts, entryOf('prod.db')],
  'a path in the manifest': [manifestWith([{ name: '../x.db', bytes: 0, sha256: '' }]), ...parts, { name: '../x.db' }],
  'an entry that the manifest lacks': [...whole, { name: 'more.db' }],
  'no entry for a part': without('test.db'),
  'another size than the manifest says': [manifestWith([], (part) => ({ ...part, bytes: 1 })), ...parts],
  'ten gigabytes that are not there': [...without('prod.db'), { name: 'prod.db', size: ten }],
  'ten gigabytes that are not there, in the manifest too': [
    manifestWith([], (part) => ({ ...part, bytes: ten })),
    { name: 'prod.db', size: ten },
  ],
  'a manifest of ten gigabytes': [{ ...manifestWith(), size: ten }],
  'entries without end': [manifestWith(), ...Array.from({ length: 200 }, () => ({ name: 'prod.db' })), ...parts],
  'no manifest': parts,
};

function places(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-restore-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, 'a.backup'), dataDir: join(folder, 'data') };
}

test('the files of this test differ from a backup only by what is wrong with them', async (context) => {
  const { file, dataDir } = places(context);
  writeFileSync(file, packed(...whole));
  await restoreBackup({ file, dataDir });
  assert.deepEqual(readdirSync(dataDir).sort(), parts.map(({ name }) => name).sort());
  for (const { name, content } of parts) assert.equal(readFileSync(join(dataDir, name), 'utf8'), content);
});

test('Q09: a file that no backup has written is refused before anything is written', async (context) => {
  const { folder, file, dataDir } = places(context);
  const refused = async (bytes: Buffer, what: string) => {
    writeFileSync(file, bytes);
    await assert.rejects(restoreBackup({ file, dataDir }), Error, what);
    assert.deepEqual(readdirSync(folder), ['a.backup'], what);
  };
  for (const [what, entries] of Object.entries(hostile)) await refused(packed(...entries), what);
  const bytes = packed(...whole);
  for (let length = 0; length <= bytes.length - 2 * tarBlockBytes; length += 97)
    await refused(bytes.subarray(0, length), `the first ${length} bytes`);
  assert.equal(existsSync(dataDir), false);
});

test('Q09: ten gigabytes that lie in the file, and that no backup has written, are refused unread', {
  // A file with a hole takes no room there.
  skip: process.platform === 'win32',
}, async (context) => {
  const { folder, file, dataDir } = places(context);
  const bomb = packed(...whole.slice(0, 1), { name: 'prod.db', size: ten });
  writeFileSync(file, bomb);
  truncateSync(file, bomb.length + ten);
  await assert.rejects(restoreBackup({ file, dataDir }), /`prod.db` does not match its manifest/);
  assert.deepEqual(readdirSync(folder), ['a.backup']);
});
