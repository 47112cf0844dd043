/** A configuration as files: `config/<kind>/<name>.json` for each item, and a manifest, in a tar file. */

export const configArchiveType = 'application/x-tar';

/** An archive without it holds something else. */
export const configManifestName = 'config/freehold.json';
export const configManifest = { format: 1 } as const;

export function configFileName({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `config/${kind}/${name}.json`;
}

/** Whether the content of a manifest says the format of this description. */
export function hasConfigFormat(content: unknown): boolean {
  return (content as { readonly format?: unknown } | null)?.format === configManifest.format;
}
