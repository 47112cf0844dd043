import { Problem } from '../../lib/problem.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import type { FieldBehaviour, FieldValue, ValueProblem } from '../field-types/field-type.ts';

/** The value that the text of a cell stands for. An empty cell is a value that was not sent. */
export function cellValue(
  behaviour: FieldBehaviour,
  text: string,
): { readonly value: unknown } | ValueProblem | undefined {
  if (text === '') return undefined;
  if (behaviour.parseQuery !== undefined) return behaviour.parseQuery(text);
  return behaviour.isSecret === true ? { value: text } : parseJson(text);
}

/** The text of a cell that `cellValue` reads this value from; an empty text and no value look alike. */
export function cellText(behaviour: FieldBehaviour, value: FieldValue | undefined): string {
  if (value === undefined) return '';
  const isJson = behaviour.parseQuery === undefined || typeof value === 'object';
  return isJson ? JSON.stringify(value) : String(value);
}

function parseJson(text: string): { readonly value: unknown } | ValueProblem {
  try {
    return { value: parseStrictJson(text) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: 'invalid_json', message: `must be JSON: ${error.message}` };
  }
}
