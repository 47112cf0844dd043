/** Takes one mistake of a definition: where it stands, its code and its sentence. */
export type AddError = (pointer: string, code: string, message: string) => void;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
