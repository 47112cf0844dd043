/** The texts that values are read from: the same in bodies, CSV files, parameters and seeds. */

/** Of a `number`. What JavaScript takes beside, such as `0x1F` and `Infinity`, is none. */
export const numberText = /^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?$/;

/** Of an `integer`. */
export const integerText = /^-?\d{1,16}$/;

/** Whether a text is `YYYY-MM-DD` and there is such a day. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // A day that does not exist is taken for one of the next month.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A UUID of any version in any case: RFC 9562, section 4. */
export const guidText = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** Of a `datetime`: `date-time` of RFC 3339. */
export const instantText =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Zones can push a time out of the four-digit years, where texts would lose their order. The form cannot tell. */
const [first, last] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

export const instantCharactersMax = 64;

/** A time in UTC with milliseconds; digits past the third of a second are cut off. Undefined for a text that is none. */
export function readInstant(text: string): string | undefined {
  if (text.length > instantCharactersMax) return undefined;
  const [whole, day = ''] = instantText.exec(text) ?? [];
  if (whole === undefined || !isCalendarDate(day)) return undefined;
  const time = Date.parse(whole.toUpperCase().replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(time) || time < first || time > last ? undefined : new Date(time).toISOString();
}
