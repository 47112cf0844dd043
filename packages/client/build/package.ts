/**
 * `node packages/client/build/package.ts [folder]`: makes the package as it would be published, JavaScript and
 * declarations, in `packages/client/dist` or another folder.
 *
 * Node strips no types below node_modules, so the sources cannot be published. The package takes the declarations of the
 * contract along that it has types of. Those of the management API follow from schemas, and are written out.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, sep } from 'node:path';
import { writtenCalls } from './written-calls.ts';

const client = join(import.meta.dirname, '..');
const root = join(client, '..', '..');
const entries = { '.': 'client', './management': 'management', './types': 'types/generate-types' };
/** The modules of the contract that the client has types of. */
const contract = ['parts-argument', 'problem'];

export function buildPackage(out: string): void {
  const compiled = mkdtempSync(join(tmpdir(), 'freehold-client-'));
  try {
    compile(compiled);
    rmSync(out, { recursive: true, force: true });
    for (const from of globSync('{client,contract}/src/**/*.{js,d.ts}', { cwd: compiled })) {
      const path = from.replaceAll(sep, '/');
      if (path.startsWith('contract/') && path.endsWith('.js')) continue;
      if (path === 'client/src/management/calls.js') continue;
      write(join(out, placeOf(path)), relativeImports(readFileSync(join(compiled, from), 'utf8'), path));
    }
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
  write(join(out, 'management', 'calls.d.ts'), writtenCalls(join(client, 'src', 'management', 'calls.ts')));
  write(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  for (const [from, name] of [
    [join(client, 'README.md'), 'README.md'],
    [join(root, 'LICENSE'), 'LICENSE'],
  ] as const)
    copyFileSync(from, join(out, name));
}

function compile(outDir: string): void {
  const project = join(outDir, 'tsconfig.json');
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(root, 'packages'),
      outDir,
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    files: [
      ...Object.values(entries).map((name) => join(client, 'src', `${name}.ts`)),
      ...contract.map((name) => join(root, 'packages', 'contract', 'src', `${name}.ts`)),
    ],
    include: [],
  };
  writeFileSync(project, JSON.stringify(settings));
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript-native', 'bin', 'tsc'), '-p', project], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Where a compiled file lies in the package: the client's own at its top, those of the contract in a folder. */
function placeOf(path: string): string {
  return path.replace(/^client\/src\//, '').replace(/^contract\/src\//, 'contract/');
}

function relativeImports(text: string, path: string): string {
  const folder = posix.dirname(placeOf(path));
  return text
    .replaceAll(/(["'])@freehold\/contract\/([\w/-]+)\1/g, (_, quote: string, module: string) => {
      const target = posix.relative(folder, `contract/${module}.js`);
      return `${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`;
    })
    .replaceAll(/(["'])(\.{1,2}\/[\w./-]+)\.ts\1/g, '$1$2.js$1');
}

function manifest(): object {
  const { name, version, type } = json(join(client, 'package.json'));
  const { license } = json(join(root, 'package.json'));
  const exports = Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => [entry, { types: `./${file}.d.ts`, default: `./${file}.js` }]),
  );
  const description = 'The client library of Freehold: an app, its management, and types made from its definitions';
  return { name, version, description, license, type, sideEffects: false, exports };
}

function json(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (import.meta.main) {
  const out = process.argv[2] ?? join(client, 'dist');
  buildPackage(out);
  console.log(`the package is in ${relative(process.cwd(), out)}`);
}
