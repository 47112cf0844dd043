import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './platform.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Sources of these packages without their tests and without what was built, in a folder of their own, with what is installed
 * here.
 * @param missing packages of others that are not installed there
 */
export function copySources(packages: readonly string[], missing: readonly string[] = []): string {
  const copy = temporaryDirectory();
  const isSource = (path: string): boolean => !/\.test\.ts$|\/(testing|node_modules|dist)$/.test(path);
  for (const name of packages)
    cpSync(join(root, 'packages', name), join(copy, 'packages', name), { recursive: true, filter: isSource });
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@freehold'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@freehold' && !missing.includes(name))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of packages) symlinkSync(join(copy, 'packages', name), join(modules, '@freehold', name));
  return copy;
}
