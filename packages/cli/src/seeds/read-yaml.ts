import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

/** @returns undefined, with a mistake, for a file that is not YAML; an empty file is an empty list. */
export function readYaml(path: string, mistakes: string[]): unknown {
  const document = parseDocument(readFileSync(path, 'utf8'), { prettyErrors: true });
  const [broken] = document.errors;
  if (broken === undefined) return document.toJS({ maxAliasCount: 100 }) ?? [];
  mistakes.push(`${path}: not YAML: ${broken.message.split('\n')[0]}`);
  return undefined;
}
