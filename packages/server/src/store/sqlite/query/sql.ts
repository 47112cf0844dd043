/** Texts of statements with what is bound in them, in their order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export type SqlValue = string | number | null;

/** Puts fragments together. */
export function sql(texts: TemplateStringsArray, ...fragments: readonly Sql[]): Sql {
  return {
    text: texts.map((text, at) => text + (fragments[at]?.text ?? '')).join(''),
    values: fragments.flatMap(({ values }) => values),
  };
}

/** A value that is bound. */
export function bound(value: SqlValue): Sql {
  return { text: '?', values: [value] };
}

/** @param text comes from this source, never from a caller. */
export function fixed(text: string): Sql {
  return { text, values: [] };
}

export function listed(fragments: readonly Sql[], separator = ', '): Sql {
  return {
    text: fragments.map(({ text }) => text).join(separator),
    values: fragments.flatMap(({ values }) => values),
  };
}
