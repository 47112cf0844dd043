/**
 * A configuration as a folder in a tar file: `config/<kind>/<name>.json`, a file for each item, so that it can live in a
 * repository. The same configuration is the same archive, byte for byte.
 */
import {
  configFileName,
  configManifest,
  configManifestName,
  hasConfigFormat,
} from '@freehold/contract/archive/config-archive';
import { TarError, tarBlockBytes, tarHeader, tarMembers, wholeTarBlocks } from '@freehold/contract/archive/tar';
import type { InputError } from '@freehold/contract/problem';
import { type ConfigItem, configItemKinds, itemKey } from '../../config/port.ts';
import { decodeUtf8, parseStrictJson } from '../../lib/formats/strict-json.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { ItemBody } from '../item-storage.ts';

/** A longer archive is no configuration of an org. */
export const archiveBytesMax = 32 * 1024 * 1024;
/** A file is read at one go, while all others wait. */
const fileBytesMax = 1024 * 1024;

/** In pieces; its characters are the bytes of the archive, which is UTF-8 throughout. */
export function* writeArchive(bodies: readonly ItemBody[]): Generator<string> {
  yield fileText(configManifestName, configManifest);
  const named = bodies.map((body) => ({ name: configFileName(body), content: body.content }));
  for (const { name, content } of named.sort((left, right) => (left.name < right.name ? -1 : 1)))
    yield fileText(name, content);
  yield '\0'.repeat(2 * tarBlockBytes);
}

function fileText(name: string, content: unknown): string {
  const legible = `${JSON.stringify(content, undefined, 2)}\n`;
  // Deeply nested JSON is mostly space by now.
  const text = Buffer.byteLength(legible) <= fileBytesMax ? legible : `${JSON.stringify(content)}\n`;
  const bytes = Buffer.byteLength(text);
  return `${decodeUtf8(tarHeader(name, bytes))}${text}${'\0'.repeat(wholeTarBlocks(bytes) - bytes)}`;
}

export interface ArchivedItem extends ConfigItem {
  readonly content: unknown;
}

/**
 * The items of an archive, also where a `tar` has packed the folder again, under whatever path. Folders and what some
 * programs put beside the files are passed over; every other file has to be an item.
 * @throws Problem `validation_failed` that names the files that are none.
 */
export async function readArchive(archive: Uint8Array): Promise<readonly ArchivedItem[]> {
  const errors: InputError[] = [];
  const items = new Map<string, ArchivedItem>();
  let hasManifest = false;
  for await (const { name, content } of cooperatively(filesOf(archive))) {
    if (isManifest(name)) {
      if (hasManifest) errors.push(mistake('duplicate', `\`${configManifestName}\` is in the archive twice`));
      hasManifest = true;
      errors.push(...manifestErrors(name, content));
      continue;
    }
    const read = readItem(name, content);
    if ('error' in read) errors.push(read.error);
    else if (items.has(itemKey(read.item)))
      errors.push(mistake('duplicate', `${read.item.kind} \`${read.item.name}\` is in the archive twice`));
    else items.set(itemKey(read.item), read.item);
  }
  if (!hasManifest && errors.length === 0)
    errors.push(mistake('missing_manifest', `there is no \`${configManifestName}\`, which every export has`));
  if (errors.length > 0) throw invalidBody(errors);
  return [...items.values()];
}

function isManifest(name: string): boolean {
  return `/${name}`.endsWith(`/${configManifestName}`);
}

function readItem(name: string, content: Uint8Array): { readonly item: ArchivedItem } | { readonly error: InputError } {
  const [folder = '', file = ''] = name.split('/').slice(-2);
  const item = itemOfFile(folder, file);
  if (item === undefined)
    return { error: mistake('unknown_file', `\`${name.slice(0, 200)}\` is not named config/<kind>/<name>.json`) };
  const read = readJson(name, content);
  return 'error' in read ? read : { item: { ...item, content: read.content } };
}

function mistake(code: string, message: string): InputError {
  return { pointer: '', code, message };
}

function itemOfFile(folder: string, file: string): ConfigItem | undefined {
  const kind = configItemKinds.find((one) => one === folder);
  const name = file.endsWith('.json') ? file.slice(0, -'.json'.length) : '';
  return kind === undefined || name === '' ? undefined : { kind, name };
}

function manifestErrors(name: string, content: Uint8Array): readonly InputError[] {
  const read = readJson(name, content);
  if ('error' in read) return [read.error];
  if (hasConfigFormat(read.content)) return [];
  const { format } = configManifest;
  return [mistake('unknown_format', `\`${name.slice(0, 200)}\` has another format than ${format}`)];
}

function readJson(name: string, content: Uint8Array): { readonly content: unknown } | { readonly error: InputError } {
  if (content.length > fileBytesMax)
    return { error: mistake('too_large', `\`${name.slice(0, 200)}\` has more than ${fileBytesMax} bytes`) };
  try {
    return { content: parseStrictJson(decodeUtf8(content)) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { error: mistake('invalid_json', `\`${name.slice(0, 200)}\` cannot be read: ${error.message}`) };
  }
}

function* filesOf(archive: Uint8Array): Generator<{ readonly name: string; readonly content: Uint8Array }> {
  try {
    for (const { name, isFolder, content } of tarMembers(archive))
      if (!isFolder && !isHidden(name)) yield { name, content };
  } catch (error) {
    if (!(error instanceof TarError)) throw error;
    throw error.entry === undefined ? notWhole() : invalidBody([mistake('unknown_file', error.message)]);
  }
}

function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.') && part !== '.');
}

function notWhole(): Problem {
  return new Problem('validation_failed', 'the body is not a complete tar archive');
}
