import { RE2JS, RE2JSSyntaxException } from 're2js';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { cooperatively } from '../../../lib/scheduling/cooperatively.ts';
import { definitionLimits } from '../../definition.ts';
import { isObject } from '../../parsing/add-error.ts';
import { leastSize } from './pattern-size.ts';

/** A regular expression of RE2, or what is wrong with it, as the end of a sentence. */
export interface CompiledPattern {
  readonly result: RE2JS | string;
}

/**
 * Those that something still holds, by their text: a definition is read, and then made ready, with the same patterns. One
 * may take a megabyte, so none is held here.
 */
const compiled = new BoundedMap<string, WeakRef<CompiledPattern>>(10_000);
const ofDefinitions = new WeakMap<object, readonly CompiledPattern[]>();

const patternMax = 512;
const sizeMax = 200;

export function compiledPattern(pattern: string): CompiledPattern {
  const known = compiled.get(pattern)?.deref();
  if (known !== undefined) return known;
  const made: CompiledPattern = { result: compile(pattern) };
  compiled.set(pattern, new WeakRef(made));
  return made;
}

function compile(pattern: string): RE2JS | string {
  if (pattern.length > patternMax) return `has a \`pattern\` of more than ${patternMax} characters`;
  // Seen before it is compiled, which takes as long as it is large.
  if (leastSize(pattern) > sizeMax) return tooLarge;
  try {
    const made = RE2JS.compile(pattern);
    return made.programSize() > sizeMax ? tooLarge : made;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `has a \`pattern\` that is not a valid regular expression: ${error.message.replace('error parsing regexp: ', '')}`;
  }
}

const tooLarge = 'has a `pattern` that is too large: a repeated part counts once for each repetition';

/**
 * Compiles the patterns of a definition before it is read or compiled in one step; others are served in between.
 * They are held as long as the definition is.
 * @param definition anything: what is no definition is left to its reader.
 */
export async function compilePatterns(definition: unknown): Promise<void> {
  if (!isObject(definition) || !Array.isArray(definition.UpdateParams) || ofDefinitions.has(definition)) return;
  // A definition with more is refused, and no more of them are looked at.
  const fields: readonly unknown[] = definition.UpdateParams.slice(0, definitionLimits.fieldsMax);
  const made: CompiledPattern[] = [];
  for await (const pattern of cooperatively(fields.flatMap(patternsOf))) made.push(compiledPattern(pattern));
  ofDefinitions.set(definition, made);
}

function patternsOf(field: unknown): readonly string[] {
  if (!isObject(field)) return [];
  const { pattern, items } = field;
  return [pattern, isObject(items) ? items.pattern : undefined].filter((one) => typeof one === 'string');
}
