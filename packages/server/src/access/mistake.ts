/** What is wrong with something that is read: a code for programs, and how a sentence about it goes on. */
export type Mistake = readonly [code: string, sentence: string];

/** Reports a mistake at a place below what is read, by a JSON pointer. */
export type Report = (at: string, code: string, message: string) => void;

export function shown(input: string): string {
  return (input.length > 64 ? `${input.slice(0, 64)}…` : input).toWellFormed();
}
