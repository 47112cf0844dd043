import type { FieldDefinition } from '../definition.ts';

/** A field that needs a longer text gets an example that is too short rather than an unreadable one. */
const exampleLengthMax = 80;

export function exampleText({ minlength = 0, maxlength }: FieldDefinition): string {
  return 'text'.padEnd(Math.min(minlength, exampleLengthMax), '.').slice(0, maxlength);
}
