/**
 * `Intl` inside the interpreter: what it is asked goes as texts to the host, and plain data comes back. As of `inside.ts`, only
 * the texts of these functions get into the interpreter; they keep to themselves what they use of the realm.
 */

/** The contents of a kind of formats, by the names of its methods: how each argument goes to the host. */
export interface IntlKind {
  readonly name: string;
  readonly options: readonly string[];
  readonly methods: Readonly<Record<string, readonly IntlArgument[]>>;
  /** A method that is read as a function of its own. */
  readonly bound?: string;
  /** Methods of values ask for it, and `Intl` does not have it. */
  readonly isOfValues?: true;
}

export type IntlArgument = 'time' | 'number' | 'text' | 'list';

export interface IntlOptions {
  readonly kinds: readonly IntlKind[];
  /** The time of the clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly textCharacters: number;
  readonly listElements: number;
}

/** The function of the host: its answer begins with `+` before JSON, or with `-` before the name of an error, `:` and its message. */
type IntlHost = (query: string, method: string, first: string, second: string) => string;

interface IntlTools {
  /** The number of a format, the same for the same locales and options. */
  open(kind: string, locales: unknown, options: unknown): string;
  ask(query: string, method: string, ...args: readonly string[]): unknown;
  argument(type: IntlArgument, value: unknown): string;
  locales(given: unknown): string;
}

export function prepareIntlTools(options: IntlOptions): (host: IntlHost) => IntlTools {
  const { kinds, now, textCharacters, listElements } = options;
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { isArray } = Array;
  const { create } = Object;
  const [asText, asNumber, WrongRange, WrongType] = [String, Number, RangeError, TypeError];
  const { slice, indexOf } = String.prototype;

  const bounded = (text: string): string => {
    if (text.length <= textCharacters) return text;
    throw new WrongRange(`a text for Intl has at most ${textCharacters} characters`);
  };
  const listText = (value: unknown): string => {
    if (!isArray(value)) throw new WrongType('Intl takes a list of texts');
    if (value.length > listElements) throw new WrongRange(`a list for Intl has at most ${listElements} elements`);
    let text = '';
    for (let at = 0; at < value.length; at += 1) text += (at === 0 ? '' : ',') + stringify(asText(value[at]));
    return bounded(`[${text}]`);
  };
  const numberText = (value: unknown): string => {
    if (typeof value === 'bigint') return bounded(`n${value}`);
    if (typeof value === 'string') return bounded(`s${value}`);
    const number = asNumber(value);
    return `d${number === 0 && 1 / number < 0 ? '-0' : number}`;
  };
  const argument: IntlTools['argument'] = (type, value) => {
    if (type === 'time') return value === undefined ? asText(now) : asText(asNumber(value));
    if (type === 'number') return numberText(value);
    return type === 'list' ? listText(value) : bounded(asText(value));
  };
  const locales: IntlTools['locales'] = (given) =>
    given === undefined ? '' : listText(typeof given === 'string' ? [given] : given);
  const optionsText = (names: readonly string[], given: unknown): string => {
    if (given === null) throw new WrongType('options are an object');
    let text = '';
    for (let at = 0; at < names.length && given !== undefined; at += 1) {
      const value: unknown = (given as Record<string, unknown>)[names[at] as string];
      if (value === undefined) continue;
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      text += `${text === '' ? '' : ','}${stringify(names[at])}:${stringify(isPlain ? value : bounded(asText(value)))}`;
    }
    return `{${text}}`;
  };

  return (host) => {
    const ask: IntlTools['ask'] = (request, method, first = '', second = '') => {
      const text = host(request, method, first, second);
      const rest: string = apply(slice, text, [1]);
      if (text[0] === '+') return parse(rest);
      const colon: number = apply(indexOf, rest, [':']);
      const message: string = apply(slice, rest, [colon + 1]);
      throw apply(slice, rest, [0, colon]) === 'TypeError' ? new WrongType(message) : new WrongRange(message);
    };
    const opened: Record<string, string> = create(null);
    const open: IntlTools['open'] = (name, given, request) => {
      let names: readonly string[] = [];
      for (let at = 0; at < kinds.length; at += 1) if (kinds[at]?.name === name) names = kinds[at]?.options ?? [];
      const [where, how] = [locales(given), optionsText(names, request)];
      const key = `${name} ${where} ${how}`;
      opened[key] ??= asText(ask(name, 'new', where, how));
      return opened[key];
    };
    return { open, ask, argument, locales };
  };
}

export function prepareIntl({ kinds }: IntlOptions): (tools: IntlTools) => void {
  const { apply, defineProperty } = Reflect;
  const { create } = Object;
  const WrongType = TypeError;
  const { get: idOf, set: setId } = WeakMap.prototype;
  const ids = new WeakMap<object, string>();
  const define = (on: object, name: string, value: unknown): void => {
    defineProperty(on, name, { value, writable: true, configurable: true });
  };
  const idIn = (format: unknown): string => {
    const id: unknown = typeof format === 'object' && format !== null ? apply(idOf, ids, [format]) : undefined;
    if (typeof id !== 'string') throw new WrongType('a method of Intl is called on what is no format');
    return id;
  };

  return ({ open, ask, argument, locales }) => {
    const methodOf = (method: string, [first, second]: readonly IntlArgument[]) => {
      return (id: string, one: unknown, other: unknown): unknown =>
        ask(
          id,
          method,
          first === undefined ? '' : argument(first, one),
          second === undefined ? '' : argument(second, other),
        );
    };
    const intl = {};
    for (const { name: kind, methods, bound, isOfValues } of kinds) {
      if (isOfValues === true) continue;
      const Format = function Format(this: object, given?: unknown, options?: unknown): object {
        const format: object = new.target === undefined ? create(Format.prototype) : this;
        apply(setId, ids, [format, open(kind, given, options)]);
        return format;
      };
      define(Format, 'name', kind);
      define(Format, 'supportedLocalesOf', (given: unknown) => ask(kind, 'supportedLocalesOf', locales(given)));
      for (const method in methods) {
        const called = methodOf(method, methods[method] ?? []);
        const get = function (this: unknown): unknown {
          const id = idIn(this);
          return (one: unknown, other: unknown) => called(id, one, other);
        };
        const value = function (this: unknown, one: unknown, other: unknown): unknown {
          return called(idIn(this), one, other);
        };
        if (method === bound) defineProperty(Format.prototype, method, { get, configurable: true });
        else define(Format.prototype, method, value);
      }
      define(intl, kind, Format);
    }
    define(intl, 'getCanonicalLocales', (given: unknown) => ask('', 'getCanonicalLocales', locales(given)));
    define(intl, 'supportedValuesOf', (key: unknown) => ask('', 'supportedValuesOf', argument('text', key)));
    define(globalThis, 'Intl', intl);
  };
}

/** For a script whose text names nothing of a locale: without them the methods of values would give wrong texts in silence. */
export function withoutLocaleMethods(): void {
  const { defineProperty, getPrototypeOf } = Reflect;
  const WrongType = TypeError;
  const refuse = (on: object, names: readonly string[]): void => {
    for (const name of names) {
      const value = (): never => {
        throw new WrongType(`${name} is there for a script whose source names it`);
      };
      defineProperty(on, name, { value, writable: true, configurable: true });
    }
  };
  refuse(Date.prototype, ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']);
  refuse(String.prototype, ['localeCompare', 'toLocaleUpperCase', 'toLocaleLowerCase']);
  for (const one of [Number, BigInt, Array]) refuse(one.prototype, ['toLocaleString']);
  refuse(getPrototypeOf(Int8Array.prototype) as object, ['toLocaleString']);
}

/** Has the methods of values that ask for a locale get it. */
export function prepareLocaleMethods(): (tools: IntlTools) => void {
  const { apply, defineProperty, getPrototypeOf } = Reflect;
  const { isNaN: isNoNumber } = Number;
  const { getTime } = Date.prototype;
  const { valueOf: numberOf } = Number.prototype;
  const { valueOf: bigIntOf } = BigInt.prototype;
  const { localeCompare, toUpperCase, toLowerCase } = String.prototype;
  const [asText, WrongType] = [String, TypeError];
  const typedArrays = getPrototypeOf(Int8Array.prototype) as object;

  return ({ open, ask, argument }) => {
    const define = (on: object, name: string, method: (this: unknown, ...args: unknown[]) => unknown): void => {
      defineProperty(method, 'name', { value: name, configurable: true });
      defineProperty(on, name, { value: method, writable: true, configurable: true });
    };
    for (const [name, kind] of [
      ['toLocaleString', 'DateTime'],
      ['toLocaleDateString', 'Date'],
      ['toLocaleTimeString', 'Time'],
    ] as const)
      define(Date.prototype, name, function (locales, options) {
        const time: number = apply(getTime, this, []);
        const id = open(kind, locales, options);
        return isNoNumber(time) ? 'Invalid Date' : ask(id, 'format', argument('time', time));
      });
    define(Number.prototype, 'toLocaleString', function (locales, options) {
      return ask(open('NumberFormat', locales, options), 'format', argument('number', apply(numberOf, this, [])));
    });
    define(BigInt.prototype, 'toLocaleString', function (locales, options) {
      return ask(open('NumberFormat', locales, options), 'format', argument('number', apply(bigIntOf, this, [])));
    });
    const elements = function (this: unknown, locales: unknown, options: unknown): string {
      if (typeof this !== 'object' || this === null) throw new WrongType('the elements of a list are written');
      const list = this as ArrayLike<unknown>;
      let text = '';
      for (let at = 0; at < list.length; at += 1) {
        const element = list[at] as { toLocaleString(...args: unknown[]): unknown } | null | undefined;
        text += at === 0 ? '' : ',';
        if (element !== undefined && element !== null) text += asText(element.toLocaleString(locales, options));
      }
      return text;
    };
    define(Array.prototype, 'toLocaleString', elements);
    define(typedArrays, 'toLocaleString', elements);
    // Without a locale texts compare as before, by their characters, which takes no call of the host.
    define(String.prototype, 'localeCompare', function (other, locales, options) {
      if (locales === undefined && options === undefined) return apply(localeCompare, this, [other]);
      const texts = [argument('text', this), argument('text', other)] as const;
      return ask(open('Collator', locales, options), 'compare', ...texts);
    });
    for (const [name, method, plain] of [
      ['toLocaleUpperCase', 'upper', toUpperCase],
      ['toLocaleLowerCase', 'lower', toLowerCase],
    ] as const)
      define(String.prototype, name, function (locales) {
        if (locales === undefined) return apply(plain, this, []);
        return ask(open('Case', locales, undefined), method, argument('text', this));
      });
  };
}
