/** The archive that the platform exports and imports. */
import {
  configFileName,
  configManifest,
  configManifestName,
  hasConfigFormat,
} from '@freehold/contract/archive/config-archive';
import { TarError, type TarMember, tarBlockBytes, tarFile, tarMembers } from '@freehold/contract/archive/tar';
import { CommandError } from '../frame/command-error.ts';
import { type Item, isItemName, itemKey } from './item.ts';

export function writeArchive(items: readonly Item[]): Uint8Array<ArrayBuffer> {
  const files = [
    ...file(configManifestName, configManifest),
    ...items.flatMap((item) => file(configFileName(item), item.content)),
  ];
  return Buffer.concat([...files, Buffer.alloc(2 * tarBlockBytes)]);
}

function file(name: string, content: unknown): readonly Uint8Array[] {
  return tarFile(name, Buffer.from(`${JSON.stringify(content)}\n`));
}

/**
 * The items of an export, also of kinds that this program does not know.
 * @throws CommandError for whatever is no export, before anything is written: another format, a name that leads
 * elsewhere, a link, a folder, a file twice, an incomplete file.
 */
export function readArchive(bytes: Uint8Array): readonly Item[] {
  const items = new Map<string, Item>();
  let hasManifest = false;
  for (const { name, isFolder, content: body } of membersOf(bytes)) {
    if (isFolder) throw refused(`\`${name.slice(0, 200)}\` is no file`);
    const content = readJson(name, body);
    if (name === configManifestName) {
      if (hasManifest) throw refused(`${configManifestName} is in it twice`);
      hasManifest = true;
      if (!hasConfigFormat(content))
        throw refused('it has another format than this program knows', 'use the `freehold` of that platform');
      continue;
    }
    const item = { ...itemOf(name), content };
    if (items.has(itemKey(item))) throw refused(`${itemKey(item)} is in it twice`);
    items.set(itemKey(item), item);
  }
  if (!hasManifest) throw refused(`it lacks ${configManifestName}`);
  return [...items.values()];
}

function* membersOf(bytes: Uint8Array): Generator<TarMember> {
  try {
    yield* tarMembers(bytes);
  } catch (error) {
    throw error instanceof TarError ? refused(error.message) : error;
  }
}

function itemOf(name: string): Pick<Item, 'kind' | 'name'> {
  const [, kind = '', file = ''] = /^config\/([^/]+)\/([^/]+)\.json$/.exec(name) ?? [];
  if (!isItemName({ kind, name: file })) throw refused(`\`${name.slice(0, 200)}\` is no name of an item`);
  return { kind, name: file };
}

function readJson(name: string, body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
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
