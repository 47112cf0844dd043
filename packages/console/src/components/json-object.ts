/** An object as the JSON editor shows it. */
export function textOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The object that a text holds, or a sentence that says why it holds none, or why `check` refuses it. */
export function readObject(text: string, check: (value: object) => string | undefined): object | string {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (check(value) ?? value) : 'it must be a JSON object';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
