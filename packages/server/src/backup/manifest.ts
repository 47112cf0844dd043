import { dataVersion } from '../store/data-version.ts';

/** The manifest of a backup, before its parts. */
export interface Manifest {
  readonly format: 'freehold-backup';
  readonly version: number;
  readonly created_at: string;
  readonly store: 'sqlite';
  readonly parts: readonly ManifestPart[];
}

export interface ManifestPart {
  readonly name: PartName;
  readonly bytes: number;
  readonly sha256: string;
  /** Of the data in a store; left out of backups from before there were several. */
  readonly data_version?: number;
  readonly counts?: { readonly scopes: number; readonly items: number; readonly index_items: number };
}

export type PartName = StoreName | typeof secretsName;
export type StoreName = (typeof storeNames)[number];

/**
 * The stores in the order in which their moments are taken. Data names the orgs of `platform` and the keys of the
 * secrets, never the other way round, so those come last: what was taken before names nothing that they do not know.
 */
export const storeNames = ['prod.db', 'test.db', 'platform.db'] as const;
export const secretsName = 'secrets.json';
export const manifestName = 'manifest.json';

export const formatVersion = 1;

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Throws a sentence about what is wrong with it. */
export function readManifest(text: string): Manifest {
  const manifest = parse(text);
  if (manifest.format !== 'freehold-backup') throw new Error('it is not a backup of Freehold');
  if (manifest.version !== formatVersion)
    throw new Error(
      `its format is ${JSON.stringify(manifest.version)}, this release knows ${formatVersion}: use the release that made it`,
    );
  const parts = Array.isArray(manifest.parts) ? manifest.parts : [];
  if (!parts.every(isPart) || storeNames.some((name) => parts.every((part) => part.name !== name)))
    throw new Error('its manifest is damaged');
  for (const { data_version } of parts)
    if (data_version !== undefined && Math.abs(data_version) > dataVersion)
      throw new Error(
        `its data is of version ${Math.abs(data_version)}, this release works on version ${dataVersion}: use the release that made it`,
      );
  return manifest as unknown as Manifest;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below.
  }
  throw new Error('its manifest is damaged');
}

function isPart(value: unknown): value is ManifestPart {
  if (typeof value !== 'object' || value === null) return false;
  const { name, bytes, sha256, data_version = 1 } = value as Readonly<Record<string, unknown>>;
  const isKnown = name === secretsName || storeNames.some((known) => known === name);
  return isKnown && Number.isSafeInteger(bytes) && Number.isSafeInteger(data_version) && typeof sha256 === 'string';
}
