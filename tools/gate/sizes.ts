/**
 * `npm run check -- sizes`: how much there is of what is to become less. Prints each figure beside its maximum, and fails
 * above one. A change that lowers a figure lowers its maximum.
 */
import { join } from 'node:path';
import { cyclesOf } from '../cycles.ts';
import { isTestFile, readSourceTree, type SourceTree, sourcesUnder } from '../source-tree.ts';
import { type ImportedNames, importedNames } from './imported-names.ts';
import { lateBindings } from './late-bindings.ts';

const server = 'packages/server/src/';
const packagesWithCycles = ['cli', 'client', 'console', 'contract', 'docs', 'react', 'server'] as const;

/** Lowered as the code shrinks. A cycle counts as the files that lie in it. */
const maxima = {
  'names that modules of the server import from one another': 720,
  'names that the ports of the server export': 601,
  'files of the server': 766,
  'lines of the server': 111_855,
  'late bindings of the composition': 0,
  'files of cli in cycles of values': 0,
  'files of cli in cycles of types': 0,
  'files of client in cycles of values': 0,
  'files of client in cycles of types': 0,
  'files of console in cycles of values': 0,
  'files of console in cycles of types': 0,
  'files of contract in cycles of values': 0,
  'files of contract in cycles of types': 0,
  'files of docs in cycles of values': 0,
  'files of docs in cycles of types': 0,
  'files of react in cycles of values': 0,
  'files of react in cycles of types': 0,
  'files of server in cycles of values': 0,
  'files of server in cycles of types': 0,
  'percent of comment lines that begin with What, Who, How, Where or When': 4.2,
} as const;

type Imports = ReadonlyMap<string, readonly ImportedNames[]>;
type Figures = Readonly<Record<string, number>>;

/** Tests, and what lies in a folder `testing`, are left out. */
export function sizesOf(tree: SourceTree): Figures {
  const sources = new Map([...tree].filter(([path]) => !isTestFile(path) && !path.split('/').includes('testing')));
  const imports = new Map([...sources].map(([path, text]) => [path, importedNames(path, text)]));
  const ofServer = [...sources].filter(([path]) => path.startsWith(server));
  return {
    'names that modules of the server import from one another': namesBetweenModules(imports),
    'names that the ports of the server export': namesOfPorts(sources, imports),
    'files of the server': ofServer.length,
    'lines of the server': ofServer.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0),
    'late bindings of the composition': ofServer
      .filter(([path]) => path.startsWith(`${server}composition/`))
      .reduce((sum, [path, text]) => sum + lateBindings(path, text).length, 0),
    ...Object.fromEntries(packagesWithCycles.flatMap((name) => cyclesIn(name, imports))),
    'percent of comment lines that begin with What, Who, How, Where or When': percentOfQuestions(tree),
  };
}

/**
 * Each name once for each file that exports it, where a file of another module imports it. All of a file (`* as`) counts
 * as one name. The files that put the modules together import all of them, and `lib` is there for all: neither counts.
 */
function namesBetweenModules(imports: Imports): number {
  const names = [...imports].flatMap(([path, found]) => {
    const module = moduleOf(path);
    if (module === '') return [];
    return found
      .filter(({ target }) => !['', 'lib', module].includes(moduleOf(target)))
      .flatMap((one) => one.names.map(({ name }) => `${one.target} ${name}`));
  });
  return new Set(names).size;
}

/** Each name that a file `port.ts` at the top of a module exports, its own or of another file. */
function namesOfPorts(sources: SourceTree, imports: Imports): number {
  const ports = [...sources].filter(([path]) => path === `${server}${moduleOf(path)}/port.ts`);
  const own = ports.flatMap(([, text]) => [...text.matchAll(declared)]).length;
  const others = ports.flatMap(([path]) => imports.get(path) ?? []).filter(({ isExport }) => isExport);
  return own + others.flatMap(({ names }) => names).length;
}

const declared = /^export (?:async |abstract )?(?:class|const|function|interface|type) \w/gm;

/** `''` for what is not of the server, and for the files that put the modules together. */
function moduleOf(path: string): string {
  if (!path.startsWith(server)) return '';
  const [module = '', ...rest] = path.slice(server.length).split('/');
  return rest.length === 0 || module === 'composition' || module === 'commands' ? '' : module;
}

function cyclesIn(name: string, imports: Imports): readonly [string, number][] {
  const files = [...imports].filter(([path]) => path.startsWith(`packages/${name}/src/`));
  const filesIn = (isCounted: (one: ImportedNames) => boolean): number =>
    cyclesOf(new Map(files.map(([path, found]) => [path, found.filter(isCounted).map(({ target }) => target)]))).flat()
      .length;
  return [
    [`files of ${name} in cycles of values`, filesIn(({ isType }) => !isType)],
    [`files of ${name} in cycles of types`, filesIn(() => true)],
  ];
}

/** Of the lines with text, those of tests included. A comment that begins so names no subject. */
function percentOfQuestions(tree: SourceTree): number {
  const lines = [...tree.values()].flatMap((text) => [...text.matchAll(commentLine)].map(([, line = '']) => line));
  const questions = lines.filter((line) => /^(What|Who|How|Where|When)\b/.test(line));
  return lines.length === 0 ? 0 : Math.round((1000 * questions.length) / lines.length) / 10;
}

/** A line that a comment begins, or that begins with the star of one. */
const commentLine = /^[ \t]*(?:\/\/+|\/\*+|\*)[ \t]+(\S.*)$/gm;

function main(): number {
  const figures = sizesOf(sourcesUnder(readSourceTree(join(import.meta.dirname, '..', '..')), 'packages'));
  let code = 0;
  for (const [what, most] of Object.entries(maxima)) {
    const figure = figures[what] ?? Number.NaN;
    const isHeld = figure <= most;
    if (!isHeld) code = 1;
    console.log(`${isHeld ? '    ' : 'over'} ${String(figure).padStart(7)} of ${String(most).padStart(7)}  ${what}`);
  }
  return code;
}

if (import.meta.main) process.exitCode = main();
