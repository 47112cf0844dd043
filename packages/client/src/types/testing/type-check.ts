/** Type-checks programs as those of an app's developer beside `freehold.d.ts`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..', '..', '..', '..', '..');
const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
const cache = join(root, 'node_modules', '.cache');

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom'],
  module: 'nodenext',
  allowImportingTsExtensions: true,
  types: [],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  // Also the declarations that were made.
  skipLibCheck: false,
  skipDefaultLibCheck: true,
};

/**
 * All at once, since most of the time goes into what all of them import.
 * @param texts by path, such as `lists/program.ts`. @returns what is wrong with them; empty where nothing is.
 */
export function mistakesIn(texts: Readonly<Record<string, string>>): readonly string[] {
  mkdirSync(cache, { recursive: true });
  // Below the root, so that the programs find the packages.
  const folder = mkdtempSync(join(cache, 'checked-'));
  try {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(texts) }));
    const { stdout, error } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error !== undefined) throw error;
    return stdout.split('\n').filter((line) => /\berror TS\d/.test(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The exports of a module, by name. */
export function exportsOf(text: string): readonly string[] {
  const file = ts.createSourceFile('freehold.d.ts', text, ts.ScriptTarget.ES2024, true);
  const isExported = (node: ts.Node): boolean =>
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return file.statements.map((statement) => {
    const { name } = statement as { readonly name?: ts.Identifier };
    return `${isExported(statement) ? 'export ' : ''}${ts.SyntaxKind[statement.kind]} ${name?.text ?? ''}`;
  });
}
