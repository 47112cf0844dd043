/** The archive that the platform exports and imports: a tar file of `config/<kind>/<name>.json`, and a manifest. */
import { CommandError } from '../frame/command-error.ts';
import { type Item, isItemName, itemKey } from './item.ts';

const manifestName = 'config/freehold.json';
const format = 1;
const blockBytes = 512;

export const archiveType = 'application/x-tar';

export function writeArchive(items: readonly Item[]): Uint8Array<ArrayBuffer> {
  const files = [
    file(manifestName, { format }),
    ...items.map(({ kind, name, content }) => file(`config/${kind}/${name}.json`, content)),
  ];
  return Buffer.concat([...files, Buffer.alloc(2 * blockBytes)]);
}

function file(name: string, content: unknown): Buffer {
  const body = Buffer.from(`${JSON.stringify(content)}\n`);
  return Buffer.concat([...nameHeader(name), header(name, body.length, '0'), padded(body)]);
}

/** A name that is too long for a header goes before it, as GNU tar has it. */
function nameHeader(name: string): readonly Buffer[] {
  if (Buffer.byteLength(name) < 100) return [];
  const body = Buffer.from(`${name}\0`);
  return [header('././@LongLink', body.length, 'L'), padded(body)];
}

function header(name: string, size: number, kind: string): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(name.slice(0, 99), 0);
  block.write('0000600\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(kind, 156);
  block.write('ustar\x0000', 257);
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function padded(body: Buffer): Buffer {
  return Buffer.concat([body, Buffer.alloc((blockBytes - (body.length % blockBytes)) % blockBytes)]);
}

function sumOf(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

/**
 * The items of an export, also of kinds that this program does not know.
 * @throws CommandError for whatever is no export, before anything is written: another format, a name that leads
 * elsewhere, a link, an item twice, an incomplete file.
 */
export function readArchive(bytes: Uint8Array): readonly Item[] {
  const items = new Map<string, Item>();
  let hasManifest = false;
  for (const { name, body } of filesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
    const content: unknown = readJson(name, body);
    if (name === manifestName) {
      hasManifest = true;
      if ((content as { readonly format?: unknown } | null)?.format !== format)
        throw refused('it has another format than this program knows', 'use the `freehold` of that platform');
      continue;
    }
    const item = { ...itemOf(name), content };
    if (items.has(itemKey(item))) throw refused(`${itemKey(item)} is in it twice`);
    items.set(itemKey(item), item);
  }
  if (!hasManifest) throw refused(`it lacks ${manifestName}`);
  return [...items.values()];
}

function itemOf(name: string): Pick<Item, 'kind' | 'name'> {
  const [, kind = '', file = ''] = /^config\/([^/]+)\/([^/]+)\.json$/.exec(name) ?? [];
  if (!isItemName({ kind, name: file })) throw refused(`\`${name.slice(0, 200)}\` is no name of an item`);
  return { kind, name: file };
}

function* filesOf(archive: Buffer): Generator<{ readonly name: string; readonly body: Buffer }> {
  for (let at = 0, longName: string | undefined; ; ) {
    const block = archive.subarray(at, at + blockBytes);
    if (block.length < blockBytes) throw refused('it is incomplete');
    if (block.every((byte) => byte === 0)) return;
    const size = Number.parseInt(textAt(block, 124, 136).trim(), 8);
    const sum = Number.parseInt(textAt(block, 148, 156).trim(), 8);
    const body = archive.subarray(at + blockBytes, at + blockBytes + size);
    if (sum !== sumOf(block) || !Number.isSafeInteger(size) || size < 0 || body.length < size)
      throw refused('it is incomplete');
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    const kind = textAt(block, 156, 157);
    if (kind === 'L') {
      longName = textAt(body, 0, body.length);
      continue;
    }
    const name = longName ?? textAt(block, 0, 100);
    longName = undefined;
    if (kind !== '0') throw refused(`\`${name.slice(0, 200)}\` is no file`);
    yield { name, body };
  }
}

function textAt(block: Buffer, from: number, to: number): string {
  return block.toString('utf8', from, to).replace(/\0.*$/s, '');
}

function readJson(name: string, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw refused(`\`${name.slice(0, 200)}\` is no JSON`);
  }
}

function refused(why: string, next?: string): CommandError {
  return new CommandError(`the export of the platform cannot be read: ${why}`, {
    code: 'export_refused',
    next: next ?? 'check that the address is that of a platform',
  });
}
