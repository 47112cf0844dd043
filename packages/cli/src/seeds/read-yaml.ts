import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

/** @returns undefined, with a mistake, for a file that is not YAML; an empty file is an empty list. */
export function readYaml(path: string, mistakes: string[]): unknown {
  const document = parseDocument(readFileSync(path, 'utf8'), { prettyErrors: true });
  try {
    const [broken] = document.errors;
    if (broken !== undefined) throw broken;
    return document.toJS({ maxAliasCount: 100 }) ?? [];
  } catch (error) {
    mistakes.push(`${path}: not YAML: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    return undefined;
  }
}
