import { RE2JS, RE2JSSyntaxException } from 're2js';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { FieldDefinition } from '../definition.ts';
import type { FieldValue, JsonSchema, ValueProblem } from './field-type.ts';
import { schemaPattern } from './schema-pattern.ts';

/**
 * `pattern`, a regular expression in the syntax of RE2, which takes a time in proportion to the text whatever the
 * expression: its check and schema, or a sentence about what is wrong with it. As in JSON Schema it may match anywhere in the value.
 *
 * Where the syntax of JSON Schema cannot say the same, the schema leaves the pattern out.
 */
export function patternHint(field: Pick<FieldDefinition, 'pattern' | 'validate'>): PatternHint | string {
  const { pattern } = field;
  if (pattern === undefined) return { check: () => undefined, schema: {} };
  if (pattern.length > patternMax) return `has a \`pattern\` of more than ${patternMax} characters`;
  const compiled = compile(pattern);
  if (typeof compiled === 'string') return `has a \`pattern\` that is no regular expression: ${compiled}`;
  if (compiled.programSize() > programMax) return 'has a `pattern` that is too large: its repeats count for each time';
  const check = (value: FieldValue): ValueProblem | undefined => {
    if (typeof value !== 'string' || matches(pattern, value)) return undefined;
    return { code: 'pattern_mismatch', message: `must match the pattern \`${pattern}\`` };
  };
  const told = field.validate === true ? schemaPattern(pattern) : undefined;
  return { check, schema: told === undefined ? {} : { pattern: told } };
}

interface PatternHint {
  readonly check: (value: FieldValue) => ValueProblem | undefined;
  readonly schema: JsonSchema;
}

/** A pattern is asked of texts up to this length: the time it takes is that of the text times that of the program. */
export const patternedTextMax = 10_000;

const patternMax = 512;
const programMax = 300;

/** What an expression learns while it matches may take megabytes, so only the last ones used are kept. */
const used = new BoundedMap<string, RE2JS>(32);

function matches(pattern: string, text: string): boolean {
  let compiled = used.get(pattern);
  if (compiled === undefined) {
    compiled = RE2JS.compile(pattern);
    used.set(pattern, compiled);
  }
  return compiled.test(text);
}

/** A string is what is wrong with the pattern, in the words of its parser. */
function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return error.message.replace('error parsing regexp: ', '');
  }
}
