/** A mistake in the text that is read: a code for programs, and the end of a sentence about it. */
export type StatementMistake = readonly [code: string, sentence: string];

/** Reports a mistake at a place below what is read, by a JSON pointer. */
export type ReportMistake = (at: string, code: string, message: string) => void;

export function shown(input: string): string {
  return (input.length > 64 ? `${input.slice(0, 64)}…` : input).toWellFormed();
}

export const patternLengthMax = 256;
export const patternStarsMax = 16;

/** The limits of every pattern. `written` is the pattern as sent, before runs of stars became one. */
export function patternMistake(pattern: string, written: string): StatementMistake | undefined {
  const stars = pattern.split('*').length - 1;
  if ([...written].length > patternLengthMax) return ['too_long', `has more than ${patternLengthMax} characters`];
  if (stars > patternStarsMax) return ['too_many', `has more than ${patternStarsMax} stars`];
  if (!pattern.isWellFormed()) return ['invalid_value', 'contains a lone surrogate'];
  return undefined;
}

export const fieldsMax = 100;
export const fieldPatternLengthMax = 64;

/** The `Fields` of a statement: patterns of names of fields, `!` before those that are left out. */
export function readFields(value: unknown, report: ReportMistake): readonly string[] | undefined {
  let isSound = true;
  const refuse = (at: string, [code, sentence]: StatementMistake) => {
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

function fieldMistake(element: unknown): StatementMistake | undefined {
  if (typeof element !== 'string') return ['invalid_type', 'a pattern in `Fields` must be a string'];
  if (element.length > fieldPatternLengthMax)
    return ['too_long', `a pattern in \`Fields\` has at most ${fieldPatternLengthMax} characters`];
  if (element === '' || element === '!') return ['invalid_value', 'a pattern in `Fields` must name something'];
  return undefined;
}
