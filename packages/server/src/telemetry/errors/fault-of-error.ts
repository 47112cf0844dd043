import { sourcePrefixes } from '../../lib/installation.ts';
import type { ShownError } from '../error-log.ts';

export type Fault = NonNullable<ShownError['fault']>;

const charactersRead = 8000;
const causesRead = 2;

/**
 * What may be shown of an error. The sentences of other code quote what it was given, as `JSON.parse` does; those of the
 * platform's own code are shown without what could have been sent.
 */
export function faultOfError(error: unknown): Fault {
  if (!(error instanceof Error)) return { name: typeof error, code: null, message: null, place: null };
  const messages: string[] = [];
  let place: string | undefined;
  let code: string | undefined;
  let one: unknown = error;
  for (let depth = 0; depth <= causesRead && one instanceof Error; depth++) {
    const frames = framesOf(one);
    if (placeOf(frames[0]) !== undefined && one.message !== '') messages.push(withoutSent(one.message));
    place ??= frames.map(placeOf).find((found) => found !== undefined);
    code ??= codeOf(one);
    one = one.cause;
  }
  return {
    name: error.name,
    code: code ?? null,
    message: messages.length === 0 ? null : messages.join(': '),
    place: place ?? null,
  };
}

/** The lines of the calls alone: a sentence may have lines that look like them. */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const at = message === '' ? -1 : stack.indexOf(message);
  const calls = at === -1 ? stack : stack.slice(at + message.length);
  return calls
    .slice(0, charactersRead)
    .split('\n')
    .filter((line) => line.startsWith('    at '));
}

/** `records/record.ts:120`; undefined for a line of other code. */
function placeOf(frame: string | undefined): string | undefined {
  const prefix = sourcePrefixes.find((one) => frame?.includes(one));
  if (frame === undefined || prefix === undefined) return undefined;
  const inside = frame.slice(frame.indexOf(prefix) + prefix.length);
  const [, file, line] = /^([\w./-]{1,200}):(\d{1,9})(?::\d{1,9})?\)?$/.exec(inside) ?? [];
  return file === undefined ? undefined : `${file}:${line}`;
}

/** Such as `ENOSPC`, `SQLITE_FULL` or that of PostgreSQL. */
function codeOf(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : undefined;
}

/** Takes out what may be a person's or a secret: addresses, texts in quotes, and long runs without a blank. */
function withoutSent(message: string): string {
  return message
    .slice(0, 500)
    .replaceAll(/"[^"]*"?/g, '"…"')
    .replaceAll(/\S+:\/\/\S+/g, '…')
    .replaceAll(/\S+@\S+/g, '…')
    .replaceAll(/[\w+/=.~-]{24,}/g, '…')
    .replaceAll(/\s+/g, ' ');
}
