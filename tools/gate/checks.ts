/** `npm run check -- [style] [types] [types-apart] [sizes] [dead-code]`: the checks of the sources, by default all of them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const projects = ['.', 'packages/console', 'packages/react', 'packages/docs', 'examples/helpdesk'];

/** Folders with packages of their own, which the gate does without. */
const projectsApart = ['packages/server/src/access/testing/rivals', 'examples/countries'];

/** Where the compiler keeps what it knows of unchanged files, so that it reads the changed ones alone. */
const knownTypes = 'node_modules/.cache/types';

const checks = {
  style: (paths: readonly string[] = ['.']) =>
    `biome check --error-on-warnings --no-errors-on-unmatched --files-ignore-unknown=true ${paths.map((path) => `'${path}'`).join(' ')}`,
  types: () => projects.map(compile).join(' && '),
  'types-apart': () => [install(...projectsApart), ...projectsApart.map(compile)].join(' && '),
  sizes: () => 'node tools/gate/sizes.ts',
  'dead-code': () => `${install('tools/dead-code')} && node tools/dead-code/node_modules/knip/bin/knip.js`,
} as const;

export type CheckName = keyof typeof checks;

/** For a shell at the root, with the programs of `node_modules/.bin`. */
export function commandOf(name: CheckName, paths?: readonly string[]): string {
  return checks[name](paths);
}

function install(...folders: readonly string[]): string {
  return `node tools/install-apart.ts ${folders.join(' ')}`;
}

function compile(project: string): string {
  const file = `${knownTypes}/${project.replaceAll('/', '-')}.tsbuildinfo`;
  return `node node_modules/typescript-native/bin/tsc -p ${project} --incremental --tsBuildInfoFile ${file}`;
}

function isCheck(word: string): word is CheckName {
  return Object.hasOwn(checks, word);
}

function main(words: readonly string[]): number {
  const unknown = words.find((word) => !isCheck(word));
  if (unknown !== undefined) {
    console.error(`there is no check \`${unknown}\`: they are ${Object.keys(checks).join(', ')}`);
    return 2;
  }
  const names = words.length === 0 ? Object.keys(checks) : words;
  const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  mkdirSync(join(root, knownTypes), { recursive: true });
  const codes = names
    .filter(isCheck)
    .map((name) =>
      spawnSync(commandOf(name), { cwd: root, shell: true, stdio: 'inherit', env: { ...process.env, PATH } }),
    );
  return codes.every(({ status }) => status === 0) ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
