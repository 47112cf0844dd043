import { errorsMax } from './problem.ts';

/** The members of an object that are not known: of very many as many as a refusal names, and one more. */
export function unknownNames(input: object, isKnown: (name: string) => boolean): readonly string[] {
  const unknown: string[] = [];
  for (const name of Object.keys(input)) {
    if (isKnown(name)) continue;
    unknown.push(name);
    if (unknown.length > errorsMax) break;
  }
  return unknown;
}
