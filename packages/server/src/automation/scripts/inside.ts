/**
 * Prepares the interpreter before a script is run. Only the text of `prepareRealm` gets there, so it uses nothing
 * of this file. It keeps what it needs of the realm to itself before the script can change it.
 */

/** The names of a realm that scripts have: those of the language, without what tells of memory, threads or time. */
export const allowedGlobals: readonly string[] = [
  ...['globalThis', 'undefined', 'NaN', 'Infinity', 'eval', 'parseInt', 'parseFloat', 'isNaN', 'isFinite'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape'],
  ...['Object', 'Function', 'Array', 'Iterator', 'Number', 'Boolean', 'String', 'Symbol', 'BigInt', 'Math', 'Reflect'],
  ...['Date', 'RegExp', 'JSON', 'Proxy', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Promise'],
  ...['ArrayBuffer', 'DataView', 'Uint8ClampedArray', 'Int8Array', 'Uint8Array', 'Int16Array', 'Uint16Array'],
  ...['Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array'],
  ...['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'InternalError'],
  ...['AggregateError', 'console', 'Intl'],
];

export interface RealmOptions {
  readonly allowed: readonly string[];
  /** The time of the clock, in milliseconds since the epoch. */
  readonly now: number;
  /** Four numbers of 32 bits, from which chance follows. */
  readonly seed: readonly number[];
  readonly resultCharacters: number;
  readonly messageCharacters: number;
}

export interface ScriptRealm {
  /** @throws SyntaxError where what was compiled is no function, or has another text: its body ended before its end. */
  check(compiled: unknown, text: string): void;
  read(json: string): unknown;
  settle(value: unknown): void;
  fail(error: unknown): void;
  /** The outcome of the script, as one of three texts that the host asks for by name. */
  told(part: keyof ScriptOutcome): string;
}

export interface ScriptOutcome {
  readonly state: 'waiting' | 'done' | 'thrown' | 'too large';
  /** JSON of the value, or the message of what was thrown. */
  readonly text: string;
  readonly stack: string;
}

export function prepareRealm({ allowed, now, seed, resultCharacters, messageCharacters }: RealmOptions): ScriptRealm {
  const { parse, stringify } = JSON;
  const { construct, apply, ownKeys, deleteProperty, defineProperty } = Reflect;
  const [WrongSyntax, RealDate, RealPromise, asText] = [SyntaxError, Date, Promise, String];
  const sourceOf = Function.prototype.toString;
  const cut = String.prototype.slice;
  const waitFor = Promise.prototype.then;
  let outcome: ScriptOutcome = { state: 'waiting', text: '', stack: '' };

  for (const name of ownKeys(globalThis))
    if (typeof name === 'string' && !allowed.includes(name)) deleteProperty(globalThis, name);

  function ScriptDate(this: unknown, ...parts: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now).toString();
    return construct(RealDate, parts.length === 0 ? [now] : parts, new.target);
  }
  ScriptDate.prototype = RealDate.prototype;
  for (const name of ['UTC', 'parse'] as const)
    defineProperty(ScriptDate, name, { value: RealDate[name], writable: true, configurable: true });
  defineProperty(ScriptDate, 'now', { value: () => now, writable: true, configurable: true });
  defineProperty(ScriptDate, 'name', { value: 'Date', configurable: true });
  defineProperty(RealDate.prototype, 'constructor', { value: ScriptDate, writable: true, configurable: true });
  defineProperty(globalThis, 'Date', { value: ScriptDate, writable: true, configurable: true });

  /** The generator sfc32. */
  let [a = 0, b = 0, c = 0, d = 0] = seed;
  const random = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  defineProperty(Math, 'random', { value: random, writable: true, configurable: true });

  const shortText = (value: unknown, length: number): string => {
    try {
      return apply(cut, asText(value), [0, length]);
    } catch {
      return '';
    }
  };
  const fail = (error: unknown): void => {
    let [message, stack] = ['', ''];
    try {
      const isObject = (typeof error === 'object' && error !== null) || typeof error === 'function';
      const thrown = isObject ? (error as { readonly message?: unknown; readonly stack?: unknown }) : {};
      message = shortText(isObject ? thrown.message : error, messageCharacters);
      stack = shortText(thrown.stack, 4 * messageCharacters);
    } catch {
      // Looking at what was thrown throws: then it says nothing.
    }
    outcome = { state: 'thrown', text: message, stack };
  };
  const done = (value: unknown): void => {
    try {
      const text = stringify(value) ?? 'null';
      const isTooLarge = text.length > resultCharacters;
      outcome = { state: isTooLarge ? 'too large' : 'done', text: isTooLarge ? '' : text, stack: '' };
    } catch (error) {
      fail(error);
    }
  };
  const check = (compiled: unknown, text: string): void => {
    if (typeof compiled !== 'function' || apply(sourceOf, compiled, []) !== text)
      throw new WrongSyntax('the source is not the body of a function');
  };
  const settle = (value: unknown): void => {
    try {
      if (typeof value === 'object' && value !== null && 'then' in value)
        apply(waitFor, new RealPromise((resolve) => resolve(value)), [done, fail]);
      else done(value);
    } catch (error) {
      fail(error);
    }
  };
  return { check, read: parse, settle, fail, told: (part) => outcome[part] };
}

export interface ConsoleOptions {
  readonly lines: number;
  /** Of one line. */
  readonly characters: number;
}

/** Gives what tells JSON of a `ScriptLog`, and then runs nothing that the script could have changed. */
export function prepareConsole({ lines: linesMax, characters }: ConsoleOptions): () => string {
  const { stringify } = JSON;
  const { apply, defineProperty } = Reflect;
  const [RealError, asText] = [Error, String];
  const cut = String.prototype.slice;
  /** JSON of the lines, with commas between them: a list could be changed by the script. */
  let lines = '';
  let [kept, leftOut] = [0, 0];

  const textOf = (value: unknown): string => {
    try {
      if (value instanceof RealError) return `${value.name}: ${value.message}`;
      return (typeof value === 'object' ? stringify(value) : undefined) ?? asText(value);
    } catch {
      return '[no text]';
    }
  };
  const lineOf = (values: readonly unknown[]): string => {
    let line = '';
    for (let at = 0; at < values.length && line.length < characters; at += 1)
      line += (at === 0 ? '' : ' ') + textOf(values[at]);
    return line.length > characters ? `${apply(cut, line, [0, characters - 1])}…` : line;
  };
  const log = (...values: readonly unknown[]): void => {
    const line = kept < linesMax ? lineOf(values) : '';
    // The text of a value may itself write lines.
    if (kept >= linesMax) leftOut += 1;
    else {
      lines += (kept === 0 ? '' : ',') + stringify(line);
      kept += 1;
    }
  };
  const methods = { log, info: log, warn: log, error: log, debug: log };
  defineProperty(globalThis, 'console', { value: methods, writable: true, configurable: true });
  return () => `{"lines":[${lines}],"left_out":${leftOut}}`;
}
