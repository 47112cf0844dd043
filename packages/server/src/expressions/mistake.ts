/** What is wrong with an expression, and the place in its text: 0 is its first UTF-16 unit. */
export interface Mistake {
  readonly message: string;
  readonly at: number;
  /** The field that it cannot read, where that is the mistake. */
  readonly field?: string;
}

export function isMistake(result: object): result is Mistake {
  return 'message' in result;
}
