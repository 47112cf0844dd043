import type { Mistake, Report } from './mistake.ts';

export const fieldsMax = 100;
export const fieldPatternLengthMax = 64;

/** The `Fields` of a statement: patterns of names of fields, `!` before those that are left out. */
export function readFields(value: unknown, report: Report): readonly string[] | undefined {
  let isSound = true;
  const refuse = (at: string, [code, sentence]: Mistake) => {
    isSound = false;
    report(`/Fields${at}`, code, sentence);
  };
  if (!Array.isArray(value) || value.length === 0) {
    refuse('', ['invalid_type', '`Fields` must be a list of at least one pattern']);
    return undefined;
  }
  const elements: readonly unknown[] = value;
  if (elements.length > fieldsMax) refuse('', ['too_many', `\`Fields\` has at most ${fieldsMax} patterns`]);
  for (const [index, element] of elements.entries()) {
    const mistake = fieldMistake(element);
    if (mistake !== undefined) refuse(`/${index}`, mistake);
  }
  return isSound ? elements.filter((element) => typeof element === 'string') : undefined;
}

function fieldMistake(element: unknown): Mistake | undefined {
  if (typeof element !== 'string') return ['invalid_type', 'a pattern in `Fields` must be a string'];
  if (element.length > fieldPatternLengthMax)
    return ['too_long', `a pattern in \`Fields\` has at most ${fieldPatternLengthMax} characters`];
  if (element === '' || element === '!') return ['invalid_value', 'a pattern in `Fields` must name something'];
  return undefined;
}
