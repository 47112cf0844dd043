import type { JsonSchema } from '../../../lib/json-schema.ts';
import type { FieldDefinition } from '../../definition.ts';
import type { FieldValue, ValueProblem } from '../field-type.ts';
import { compiledPattern } from '../patterns/compiled-pattern.ts';
import { schemaPattern } from '../patterns/schema-pattern.ts';

/**
 * `pattern`, a regular expression in the syntax of RE2, which takes a time in proportion to the text whatever the
 * expression: its check and schema, or a sentence about what is wrong with it. As in JSON Schema it may match anywhere
 * in the value. Where the syntax of JSON Schema has no words for it, the schema leaves it out.
 */
export function patternHint(field: Pick<FieldDefinition, 'pattern' | 'validate'>): PatternHint | string {
  const { pattern } = field;
  if (pattern === undefined)
    return { check: () => undefined, steps: () => 0, schema: {}, charactersMax: Number.POSITIVE_INFINITY };
  const { result: compiled } = compiledPattern(pattern);
  if (typeof compiled === 'string') return compiled;
  const size = compiled.programSize();
  const check = (value: FieldValue): ValueProblem | undefined => {
    // Asked for a place, not only for whether there is one, the engine never builds an automaton of megabytes.
    if (typeof value !== 'string' || compiled.matcher(value).find()) return undefined;
    return { code: 'pattern_mismatch', message: `must match the pattern \`${pattern}\`` };
  };
  const translated = field.validate === true ? schemaPattern(pattern) : undefined;
  const schema = translated === undefined ? {} : { pattern: translated };
  const charactersMax = Math.floor(stepsMax / size);
  // A longer text is refused for its length, without a step.
  const steps = (value: FieldValue): number =>
    typeof value === 'string' && value.length <= 2 * charactersMax ? value.length * size : 0;
  return { check, steps, schema, charactersMax };
}

interface PatternHint {
  readonly check: (value: FieldValue) => ValueProblem | undefined;
  /** How many steps the check takes at most. */
  readonly steps: (value: FieldValue) => number;
  readonly schema: JsonSchema;
  /** Texts longer than this are not to be checked. */
  readonly charactersMax: number;
}

/** A text takes at most as many steps as it has characters, times the size of the compiled pattern. */
const stepsMax = 200_000;
