import { parseStrictJson } from '../../lib/formats/strict-json.ts';
import { Problem } from '../../lib/problem.ts';
import type { FieldBehaviour, FieldValue, ValueProblem } from '../../schema/port.ts';

/** The value that the text of a cell stands for. An empty cell is a value that was not sent. */
export function cellValue(
  behaviour: FieldBehaviour,
  text: string,
): { readonly value: unknown } | ValueProblem | undefined {
  if (text === '') return undefined;
  // Spreadsheets write truth values in capitals.
  if (behaviour.schema.type === 'boolean' && /^(TRUE|FALSE)$/.test(text)) return { value: text === 'TRUE' };
  if (behaviour.parseQuery !== undefined) return behaviour.parseQuery(text);
  return isJson(behaviour) ? parseJson(text) : { value: text };
}

/** The text of a cell that `cellValue` reads this value from; an empty text and no value look alike. */
export function cellText(behaviour: FieldBehaviour, value: FieldValue | undefined): string {
  if (value === undefined) return '';
  return isJson(behaviour) || typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether the values are of more than one type, so that their texts have to say which. */
function isJson({ parseQuery, isSecret }: FieldBehaviour): boolean {
  return parseQuery === undefined && isSecret !== true;
}

function parseJson(text: string): { readonly value: unknown } | ValueProblem {
  try {
    return { value: parseStrictJson(text) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: 'invalid_json', message: `must be JSON: ${error.message}` };
  }
}
