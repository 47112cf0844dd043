import { parseDocument } from 'yaml';
import { readUtf8 } from './read-utf8.ts';

/** @returns undefined, with a mistake, for a file that is not YAML; an empty file is an empty list. */
export function readYaml(path: string, mistakes: string[]): unknown {
  const text = readUtf8(path, mistakes);
  if (text === undefined) return undefined;
  const document = parseDocument(text, { prettyErrors: true });
  try {
    const [broken] = document.errors;
    if (broken !== undefined) throw broken;
    return document.toJS({ maxAliasCount: 100 }) ?? [];
  } catch (error) {
    mistakes.push(`${path}: not YAML: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    return undefined;
  }
}
