/**
 * Which test files one process runs, one after another. To start a process and load what a test needs takes longer than
 * most files of tests, so those that leave their process as they found it share one.
 */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What one process runs: a test file, or a file that runs its members. */
export interface TestProcess {
  readonly file: string;
  /** Paths from the root of the repository, by which the members are reported; none for a test file by itself. */
  readonly members: readonly string[];
}

const membersMax = 10;

/**
 * What a file does to its process, by which another file in it could fail: another clock, other globals, or a platform
 * that ends with the process. A file that waits for a platform before it has registered a test would end the others' suites.
 */
const keepsToItself =
  /\bmock\.(?:timers|method)\b|\bglobalThis\.\w+ = |\bsetGlobal\w+\(|\b(?:start\w*Platform|platformOfFile|testFlows)\(|\bconsolePlatform\([^)]|\/(?:served-routes|every-route|described-flows)\.ts'/;

function sharesItsProcess(text: string): boolean {
  return !keepsToItself.test(text);
}

/**
 * The longest files first, then those that keep to themselves: most are longer than those that share a process. Neighbours
 * of a folder load the same modules.
 * @param longest paths from the root
 */
export function groupFiles(root: string, files: readonly string[], longest: readonly string[]): readonly TestProcess[] {
  const first = new Set(longest.map((path) => join(root, path)));
  const others = files.filter((file) => !first.has(file));
  const sharing = others.filter((file) => sharesItsProcess(readFileSync(file, 'utf8')));
  const alone = others.filter((file) => !sharing.includes(file));
  const processes = [...files.filter((file) => first.has(file)), ...alone].map(aloneIn);
  for (let at = 0; at < sharing.length; at += membersMax)
    processes.push(together(root, sharing.slice(at, at + membersMax)));
  return processes;
}

export function aloneIn(file: string): TestProcess {
  return { file, members: [] };
}

/**
 * Each file is a suite, named by its path: what it sets up and takes down around its tests happens around the suite. The
 * file that loads them has the name of its contents, so that runs side by side write the same or another one.
 */
function together(root: string, files: readonly string[]): TestProcess {
  const members = files.map((file) => relative(root, file).replaceAll('\\', '/'));
  const suites = files.map((file, index) => {
    const [name, url] = [members[index], pathToFileURL(file).href].map((text) => JSON.stringify(text));
    return `describe(${name}, async () => void (await import(${url})));\n`;
  });
  const text = `import { describe } from 'node:test';\n${suites.join('')}`;
  const folder = join(root, 'node_modules', '.cache', 'test-groups');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${hash('sha256', text).slice(0, 16)}.mjs`);
  writeFileSync(file, text);
  return { file, members };
}
