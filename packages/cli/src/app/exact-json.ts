type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** What Node has, and the types of TypeScript do not. */
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
};

/**
 * The value of a JSON text, in which a whole number that no double holds has its text, so that `JSON.stringify` gives
 * all digits again. @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  return parse(text, (_key, value, { source }) => {
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '');
    return isRounded ? rawJSON(source ?? '') : value;
  });
}
