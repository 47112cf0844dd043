/**
 * Time zones and locales as this process knows them: its data is that of the runtime, and another version of the runtime may
 * know others.
 */
import { BoundedMap } from './bounded-map.ts';

/** A name of a time zone or a locale is shorter. */
const nameCharactersMax = 100;

/** Each may take some 20 KB. */
const formatsMax = 500;

/** The lead of a time zone over UTC at a time, in milliseconds. */
export type OffsetAt = (time: number) => number;

const offsets = new BoundedMap<string, OffsetAt>(formatsMax);

/** The zone is named as IANA does, or by its offset, such as `+02:00`. Undefined where there is none of that name. */
export function timeZone(name: string): OffsetAt | undefined {
  if (name.length > nameCharactersMax) return undefined;
  const known = offsets.get(name);
  if (known !== undefined) return known;
  const made = fixedOffset(name) ?? namedZone(name);
  if (made !== undefined) offsets.set(name, made);
  return made;
}

/** Whether it was looked up of late, so that it takes little to do so again. */
export function isKnownZone(name: string): boolean {
  return offsets.has(name);
}

const minute = 60_000;

function fixedOffset(name: string): OffsetAt | undefined {
  const [, sign, hours, minutes] = /^([+-]?)([01]\d|2[0-3]):([0-5]\d)$/.exec(name) ?? [];
  if (hours === undefined) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * minute * (sign === '-' ? -1 : 1);
  return () => offset;
}

function namedZone(name: string): OffsetAt | undefined {
  // A name that begins so is an offset in another form.
  if (/^[+-]/.test(name)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset', hour: 'numeric' });
    return (time) => offsetIn(format.format(time));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Of a text that ends as `GMT+00:53:28`. */
function offsetIn(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? [];
  const offset = Number(hours) * 60 * minute + Number(minutes) * minute + Number(seconds) * 1000;
  return sign === '-' ? -offset : offset;
}

/** Whether a name is that of a locale which is known here, such as `de-DE`. */
export function isLocale(name: string): boolean {
  if (name.length > nameCharactersMax) return false;
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
