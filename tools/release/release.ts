/**
 * `npm run release [-- FOLDER]`: builds everything, and packs it into three files in `dist/` or another folder: the package
 * `freehold`, which is the platform with its command line, console and documentation, and the client libraries
 * `@freehold/client` and `@freehold/react`.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bundleServer } from './bundle.ts';
import { packSite } from './pack-site.ts';
import { byName, licencesText, materialsOf, packagesOf, packagesOfSite } from './third-party.ts';

const root = join(import.meta.dirname, '..', '..');
const to = resolve(process.argv[2] ?? join(root, 'dist'));
const sites = ['packages/console', 'packages/docs'];

/** The items that are copied unchanged. */
const copied: Readonly<Record<string, string>> = {
  'tools/release/README.md': 'README.md',
  LICENSE: 'LICENSE',
  'deploy/freehold.service': 'deploy/freehold.service',
  'deploy/nginx.conf': 'deploy/nginx.conf',
  'deploy/kubernetes/freehold.yaml': 'deploy/kubernetes/freehold.yaml',
};

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { version: string; integrity: string; os: string; cpu: string; bin: { node: string } }>
  >;
}

const work = mkdtempSync(join(tmpdir(), 'freehold-release-'));
try {
  const platform = join(work, 'freehold');
  const client = join(work, 'client');
  const react = join(work, 'react');
  await Promise.all(sites.map((site) => runNode(`${site}/build/build.ts`)));
  await makePlatform(platform);
  await runNode('packages/client/build/package.ts', client);
  await runNode('packages/react/build/package.ts', react);
  mkdirSync(to, { recursive: true });
  for (const folder of [platform, client, react]) {
    const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], folder);
    const [{ filename, entryCount, unpackedSize }] = JSON.parse(stdout);
    const inWords = (bytes: number) =>
      bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
    const { size } = statSync(join(to, filename));
    console.log(
      `${relative(root, join(to, filename))}: ${inWords(size)}, ${entryCount} files of ${inWords(unpackedSize)}`,
    );
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function makePlatform(folder: string): Promise<void> {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { version, description, license } = manifest;
  const bundled = await bundleServer(root, folder);
  for (const site of sites) packSite(join(root, site, 'dist'), join(folder, site, 'dist'));
  for (const [from, path] of Object.entries(copied)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, from), join(folder, path));
  }
  const packages = byName([
    ...packagesOf(root, bundled),
    ...sites.flatMap((site) => packagesOfSite(root, readFileSync(join(root, site, 'dist', 'licenses.md'), 'utf8'))),
  ]);
  const { stdout: installed } = await run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], root);
  writeFileSync(join(folder, 'THIRD-PARTY.md'), licencesText(packages));
  const write = (path: string, content: object) =>
    writeFileSync(join(folder, path), `${JSON.stringify(content, undefined, 2)}\n`);
  write('sbom.json', materialsOf(installed, packages));
  write('nodes.json', nodesOf(manifest));
  // The launcher runs on an older Node too, and finds a newer one.
  const engines = { node: '>=20' };
  const bin = { freehold: 'packages/server/bin/freehold.mjs' };
  write('package.json', { name: 'freehold', version, description, license, type: 'module', bin, engines });
  write('packages/server/package.json', { name: '@freehold/server', version, private: true, type: 'module' });
}

/** The Node that a clone brings along for each platform, by the checksum of the lock file. */
function nodesOf({ optionalDependencies }: Manifest): readonly object[] {
  const { packages }: Lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.keys(optionalDependencies).map((name) => {
    const locked = packages[`node_modules/${name}`];
    if (locked === undefined) throw new Error(`the lock file has no ${name}`);
    const { version, integrity, os, cpu, bin } = locked;
    return { name, version, integrity, os, cpu, bin: bin.node };
  });
}

function runNode(...words: readonly string[]): Promise<unknown> {
  return run(process.execPath, words, root);
}

function run(program: string, words: readonly string[], cwd: string): Promise<{ readonly stdout: string }> {
  return promisify(execFile)(program, words, { cwd, maxBuffer: 64 * 1024 * 1024 });
}
