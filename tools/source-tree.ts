import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts by their path from the root, with `/` between the parts on every system. */
export type SourceTree = ReadonlyMap<string, string>;

/** Reads what belongs to the repository: everything but `.git` and what `.gitignore` names. Needs no git. */
export function readSourceTree(root: string): SourceTree {
  const isIgnored = readIgnored(join(root, '.gitignore'));
  const tree = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git' || isIgnored(entry.name, entry.isDirectory())) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) addText(tree, path, readFileSync(join(root, path)));
    }
  };
  walk('');
  return tree;
}

/** The TypeScript of a part of the tree. Throws where there is none, because a rule over nothing always holds. */
export function sourcesUnder(tree: SourceTree, ...folders: readonly string[]): SourceTree {
  const isSource = (path: string) =>
    /\.[cm]?tsx?$/.test(path) && folders.some((folder) => path.startsWith(`${folder}/`));
  const found = new Map([...tree].filter(([path]) => isSource(path)));
  if (found.size === 0) throw new Error(`there is no source under ${folders.join(', ')}`);
  return found;
}

export function isTestFile(path: string): boolean {
  return /\.test\.[cm]?tsx?$/.test(path);
}

function addText(tree: Map<string, string>, path: string, bytes: Buffer): void {
  if (!bytes.includes(0)) tree.set(path, bytes.toString('utf8'));
}

/** Knows the two kinds of line that `.gitignore` has here, `folder/` and `*.suffix`, and refuses any other. */
function readIgnored(file: string): (name: string, isFolder: boolean) => boolean {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const rules = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const odd = rules.find((rule) => !/^([\w.-]+\/|\*\.[\w.-]+)$/.test(rule));
  if (odd !== undefined) throw new Error(`tools/source-tree.ts cannot read the line \`${odd}\` of .gitignore`);
  const folders = new Set(rules.filter((rule) => rule.endsWith('/')).map((rule) => rule.slice(0, -1)));
  const suffixes = rules.filter((rule) => rule.startsWith('*')).map((rule) => rule.slice(1));
  return (name, isFolder) => (isFolder ? folders.has(name) : suffixes.some((suffix) => name.endsWith(suffix)));
}
