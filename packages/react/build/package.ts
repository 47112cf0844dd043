/**
 * `node packages/react/build/package.ts [folder]`: makes the package as it would be published, JavaScript and
 * declarations, in `packages/react/dist` or another folder. React, TanStack Query and the client stay imports.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const folder = join(import.meta.dirname, '..');
const root = join(folder, '..', '..');

export function buildPackage(out: string): void {
  const compiled = mkdtempSync(join(tmpdir(), 'freehold-react-'));
  try {
    compile(compiled);
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    for (const name of globSync('*.{js,d.ts}', { cwd: join(compiled, 'react', 'src') })) {
      const text = readFileSync(join(compiled, 'react', 'src', name), 'utf8');
      writeFileSync(join(out, name), text.replaceAll(/(["'])(\.\/[\w-]+)\.tsx?\1/g, '$1$2.js$1'));
    }
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(folder, 'README.md'), join(out, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
}

function compile(outDir: string): void {
  const project = join(outDir, 'tsconfig.json');
  const settings = {
    extends: join(folder, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(root, 'packages'),
      outDir,
      typeRoots: [join(root, 'node_modules', '@types')],
    },
    files: [join(folder, 'src', 'react.tsx')],
    include: [],
  };
  writeFileSync(project, JSON.stringify(settings));
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript-native', 'bin', 'tsc'), '-p', project], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function manifest(): object {
  const { name, version, type, dependencies, peerDependencies } = json(join(folder, 'package.json'));
  const { license } = json(join(root, 'package.json'));
  const description = 'React hooks for apps on Freehold';
  const exports = { '.': { types: './react.d.ts', default: './react.js' } };
  return { name, version, description, license, type, sideEffects: false, exports, dependencies, peerDependencies };
}

function json(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(path, 'utf8'));
}

if (import.meta.main) {
  const out = process.argv[2] ?? join(folder, 'dist');
  buildPackage(out);
  console.log(`the package is in ${relative(process.cwd(), out)}`);
}
