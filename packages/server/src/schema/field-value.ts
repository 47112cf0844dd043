/** A field's value as it is stored: plain JSON, never `null` (a cleared field is absent). */
export type FieldValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown };

/** A record's values by field name. */
export type FieldValues = Readonly<Record<string, FieldValue | undefined>>;
