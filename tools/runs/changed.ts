/** Which paths have changed, and which tests a change can reach by imports. */
import { execFileSync } from 'node:child_process';
import { importsOf } from '../imports.ts';
import { readSourceTree, sourcesUnder } from '../source-tree.ts';

/**
 * Paths from the root that differ from where `revision` and HEAD parted, in commits, in the working tree, or because git
 * does not know them yet.
 * @param revision by default `origin/main`, or HEAD where there is none
 */
export function changedPaths(root: string, revision?: string): readonly string[] {
  const base = revision ?? (exists(root, 'origin/main') ? 'origin/main' : 'HEAD');
  const fork = git(root, 'merge-base', base, 'HEAD')[0] ?? base;
  const known = git(root, 'diff', '--name-only', '--no-renames', fork);
  return [...new Set([...known, ...git(root, 'ls-files', '--others', '--exclude-standard')])].sort();
}

function exists(root: string, revision: string): boolean {
  try {
    return git(root, 'rev-parse', '--verify', '--quiet', revision).length > 0;
  } catch {
    return false;
  }
}

function git(root: string, ...words: readonly string[]): readonly string[] {
  const text = execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return text.split('\n').filter((line) => line !== '');
}

/** Those of `tests` that have changed, or that import a changed file, by however many others. */
export function reachedTests(root: string, changed: readonly string[], tests: readonly string[]): readonly string[] {
  const importers = new Map<string, string[]>();
  for (const [path, text] of sourcesUnder(readSourceTree(root), 'packages', 'bench', 'examples', 'tools'))
    for (const { target } of importsOf(path, text)) {
      const known = importers.get(target);
      if (known === undefined) importers.set(target, [path]);
      else known.push(path);
    }
  const reached = new Set(changed);
  for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
  return tests.filter((path) => reached.has(path));
}
