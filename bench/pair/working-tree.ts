/** Another working tree of this repository, to be measured beside this one. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ownTree = join(import.meta.dirname, '..', '..');
const entry = join('packages', 'server', 'src', 'main.ts');

/** The program that starts the platform of a tree. */
export function entryOf(tree: string): string {
  return join(tree, entry);
}

/**
 * The root of a tree: of the folder of this name, or of a commit, which is checked out into a temporary folder until
 * this process exits. A commit runs with the packages that are installed here.
 */
export function treeOf(folderOrCommit: string): string {
  const folder = resolve(folderOrCommit);
  if (existsSync(entryOf(folder))) return folder;
  const tree = join(mkdtempSync(join(tmpdir(), 'freehold-tree-')), 'tree');
  git('worktree', 'add', '--detach', '--quiet', tree, folderOrCommit);
  process.on('exit', () => git('worktree', 'remove', '--force', tree));
  const packages = join(tree, 'node_modules');
  link(join(ownTree, 'node_modules'), packages);
  for (const name of readdirSync(join(ownTree, 'node_modules')).filter((name) => name.startsWith('@')))
    link(join(ownTree, 'node_modules', name), join(packages, name));
  return tree;
}

function git(...words: readonly string[]): void {
  execFileSync('git', words, { cwd: ownTree, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Links between the packages of the repository stay relative, so that a tree has its own. */
function link(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from).filter((name) => !name.startsWith('@'))) {
    const path = join(from, name);
    symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, join(to, name));
  }
}
