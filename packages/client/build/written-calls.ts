/** The types of the management API, written out: a declaration that needs neither the contract nor its schemas. */
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..', '..', '..');

/** @param path the module that exports the type `Calls`. @returns the text of its declaration. */
export function writtenCalls(path: string): string {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [path], include: [] }, ts.sys, root);
  const program = ts.createProgram([path], { ...options, types: [] });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  const symbol = module && checker.getExportsOfModule(module).find(({ name }) => name === 'Calls');
  if (symbol === undefined) throw new TypeError(`${path} exports no type Calls`);
  const text = typeText(checker, checker.getDeclaredTypeOfSymbol(symbol), 0);
  return `/** What each route of the management API takes and answers. */\nexport interface Calls ${text}\n`;
}

/** No type of the contract is deeper. */
const depthMax = 30;

/** A type of JSON values. */
function typeText(checker: ts.TypeChecker, type: ts.Type, depth: number): string {
  if (depth > depthMax) throw new TypeError('a type of the management API refers to itself');
  const text = (inner: ts.Type): string => typeText(checker, inner, depth + 1);
  if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
  if (type.isUnion()) return unionText(type.types.map(text));
  const element = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
  if (element !== undefined) return `readonly (${text(element)})[]`;
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(type);
  if (checker.isTupleType(type)) throw new TypeError('a type of the management API is a tuple');
  return objectText(checker, type, depth);
}

function objectText(checker: ts.TypeChecker, type: ts.Type, depth: number): string {
  const indent = '  '.repeat(depth);
  const members = checker.getPropertiesOfType(type).map((property) => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const inner = typeText(checker, checker.getTypeOfSymbol(property), depth + 1);
    // An optional member has `undefined` in its type, which the question mark says.
    const plain = isOptional ? inner.replace(/ \| undefined$/, '') : inner;
    return `readonly ${JSON.stringify(property.name)}${isOptional ? '?' : ''}: ${plain};`;
  });
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  if (index !== undefined) members.push(`readonly [name: string]: ${typeText(checker, index.type, depth + 1)};`);
  return members.length === 0 ? '{}' : `{\n${members.map((line) => `${indent}  ${line}\n`).join('')}${indent}}`;
}

function unionText(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  const joined =
    distinct.includes('true') && distinct.includes('false')
      ? ['boolean', ...distinct.filter((one) => one !== 'true' && one !== 'false')]
      : distinct;
  return [...joined.filter((one) => one !== 'undefined'), ...joined.filter((one) => one === 'undefined')].join(' | ');
}
