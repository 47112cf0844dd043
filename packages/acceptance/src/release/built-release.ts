/** A release of this clone, as its users get it: three files, which npm installs without asking a registry. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../platform.ts';

export const root = join(import.meta.dirname, '..', '..', '..', '..');

export interface Release {
  /** The paths of the three files. */
  readonly platform: string;
  readonly client: string;
  readonly react: string;
}

export function buildRelease(): Release {
  const folder = temporaryDirectory();
  npm(root, 'run', 'release', '--', folder);
  const find = (pattern: RegExp): string => {
    const [name, ...others] = readdirSync(folder).filter((file) => pattern.test(file));
    if (name === undefined || others.length > 0) throw new Error(`there is not one ${pattern}`);
    return join(folder, name);
  };
  return {
    platform: find(/^freehold-\d[\w.-]*\.tgz$/),
    client: find(/^freehold-client-\d[\w.-]*\.tgz$/),
    react: find(/^freehold-react-\d[\w.-]*\.tgz$/),
  };
}

/** @returns standard output. @throws Error with all that it said where it failed */
export function npm(cwd: string, ...words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${words.join(' ')}: ${error?.message ?? ''}\n${stdout}\n${stderr}`);
  return stdout;
}

/** A project that has nothing but these packages. No registry can be asked for more. */
export function installed(...packages: readonly string[]): string {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', ...packages);
  return folder;
}

/** The path of the launcher in an installation. */
export function launcherIn(folder: string): string {
  return join(folder, 'node_modules', 'freehold', 'packages', 'server', 'bin', 'freehold.mjs');
}

/** The contents of a packed file, in a folder. */
export function unpacked(file: string, folder = temporaryDirectory()): string {
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', file, '-C', folder, '--strip-components=1'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return folder;
}

/** Another Node, by npm from its cache or from a registry. @returns a sentence where there is none for this machine */
export function otherNode(version: string): { readonly path: string } | { readonly why: string } {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  try {
    npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`);
    return { path: join(folder, 'node_modules', name, 'bin', 'node') };
  } catch (error) {
    const [code = ''] = /\bE[A-Z0-9]{3,}\b/.exec(String(error)) ?? [];
    return { why: `not run: npm has no ${name}@${version} (${code})` };
  }
}
