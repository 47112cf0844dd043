/** What a key leads to where it leads to several members: their names differ in ASCII case alone. */
export class AlikeMembers {
  /** What each of them holds: nothing, one value or a list. */
  readonly contents: readonly unknown[];

  constructor(contents: readonly unknown[]) {
    this.contents = contents;
  }
}

/** For a key whose value could not be read: it may be any, or none. */
class UnknownValue {}

export const unknownValue = new UnknownValue();

/** A part of a text that is looked for. It is no value of a field, so that operators of numbers, times and so on cannot read it. */
export class TextPart {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The values of something found in a context: a list's elements, else itself. What is null is not there. */
export function valuesOf(found: unknown): readonly unknown[] {
  if (found instanceof AlikeMembers) return found.contents.flatMap(valuesOf);
  if (Array.isArray(found)) return found.some(isMissing) ? found.filter((value) => !isMissing(value)) : found;
  return isMissing(found) ? [] : [found];
}

/** To go through the values of something found, in steps. */
export function stepsThrough(found: unknown): number {
  if (typeof found !== 'object') return stepsOfValue;
  if (found instanceof AlikeMembers) return found.contents.reduce((sum: number, one) => sum + stepsThrough(one), 0);
  return Array.isArray(found) ? found.length * stepsOfValue : stepsOfValue;
}

const stepsOfValue = 8;

/** The text by which String operators and variables know a value. An object has none, nor has a list within a list. */
export function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      if (value instanceof TextPart) return value.text;
      return value instanceof Date ? value.toISOString() : undefined;
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
