/** Type-checks programs that exist in memory only, as those of an app's developer beside `freehold.d.ts`. */
import { join } from 'node:path';
import ts from 'typescript';

const folder = join(import.meta.dirname, 'checked');

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
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

/** Of the library and of the compiler: the same for all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** @param texts by file name. @returns what is wrong with them; empty where nothing is. */
export function mistakesIn(texts: Readonly<Record<string, string>>): readonly string[] {
  const files = new Map(Object.entries(texts).map(([name, text]) => [join(folder, name), text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.directoryExists = () => true;
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path);
    if (text !== undefined) return ts.createSourceFile(path, text, ts.ScriptTarget.ES2024);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...rest));
    return parsed.get(path);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    return `${file?.fileName.slice(folder.length + 1) ?? ''}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** What a module exports, by name. */
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
