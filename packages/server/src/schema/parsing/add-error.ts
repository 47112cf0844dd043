/** Takes one mistake of a definition: where it stands, its code and its sentence. */
export type AddError = (pointer: string, code: string, message: string) => void;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Passes mistakes on, and counts them. */
export function errorCount(add: AddError): { add: AddError; count: () => number } {
  let count = 0;
  return {
    add: (pointer, code, message) => {
      count += 1;
      add(pointer, code, message);
    },
    count: () => count,
  };
}
