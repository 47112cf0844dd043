/** The packages of others that are in a release: the texts of their licences, and a list for machines. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Of the licence and of what has to be said beside it. */
  readonly text: string;
}

/** @param files what was bundled, as paths from the root. @returns the packages that it comes from, by name */
export function packagesOf(root: string, files: readonly string[]): readonly Package[] {
  const folders = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return byName([...folders].map((folder) => readPackage(join(root, folder))));
}

function readPackage(folder: string): Package {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name}@${version} says no licence`);
  const read = (pattern: RegExp) =>
    readdirSync(folder)
      .filter((file) => pattern.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const texts = read(/^(?:licen[cs]e|copying|notice)/i);
  // Some have it in their README alone.
  const text = texts.length > 0 ? texts.join('\n\n') : /^#+ *licen[cs]e\b[\s\S]*$/im.exec(read(/^readme/i).join())?.[0];
  if (text === undefined) throw new Error(`${name}@${version} has no text of its licence`);
  return { name, version, license, text };
}

/** @param list what Vite writes beside a site that it has built: a heading for each package that is in it */
export function packagesOfSite(root: string, list: string): readonly Package[] {
  const named = [...list.matchAll(/^## (@?[\w./-]+) - (\d\S*) \(.+\)$/gm)].map(([, name, version]) => ({
    name,
    version,
  }));
  const { packages }: Lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return named.map(({ name, version }) => {
    const found = Object.entries(packages).find(
      ([folder, one]) => folder.endsWith(`node_modules/${name}`) && one.version === version,
    );
    if (found === undefined) throw new Error(`the lock file has no ${name}@${version}`);
    return readPackage(join(root, found[0]));
  });
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

export function byName(packages: readonly Package[]): readonly Package[] {
  const distinct = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

export function licencesText(packages: readonly Package[]): string {
  const parts = packages.map(({ name, version, license, text }) => `## ${name} ${version} (${license})\n\n${text}\n`);
  return `# Packages of others in this release\n\n${parts.join('\n')}`;
}

interface Bom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly properties: readonly { readonly name: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * A bill of materials (CycloneDX) of the packages that are in the release.
 * @param text what `npm sbom` says of all that is installed for development
 */
export function materialsOf(text: string, packages: readonly Package[]): object {
  const { serialNumber: _, ...bom } = JSON.parse(text) as Bom & { readonly serialNumber: string };
  const { timestamp: __, ...metadata } = bom.metadata as Bom['metadata'] & { readonly timestamp: string };
  const references = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const components = bom.components.filter((one) => references.has(one['bom-ref']));
  const missing = references.difference(new Set(components.map((one) => one['bom-ref'])));
  if (missing.size > 0) throw new Error(`npm does not list ${[...missing].join(', ')}`);
  const { component } = metadata;
  return {
    ...bom,
    metadata: { ...metadata, component: { ...component, name: 'freehold' } },
    // Here they are in what runs, wherever a clone has them from.
    components: components.map((one) => ({
      ...one,
      scope: 'required',
      properties: one.properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
    })),
    dependencies: [
      { ref: component['bom-ref'], dependsOn: [...references] },
      ...bom.dependencies
        .filter(({ ref }) => references.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => references.has(one)) })),
    ],
  };
}
