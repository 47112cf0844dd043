/**
 * The kind of a client by its `User-Agent`, in words from a list: nothing of the header itself is kept or shown. Undefined if
 * the list does not have it.
 */
export function clientWords(userAgent: string | undefined): string | undefined {
  if (userAgent === undefined) return undefined;
  const text = userAgent.slice(0, charactersMax);
  const program = programs.find(([, form]) => form.test(text))?.[0];
  if (program !== undefined) return program;
  const browser = browsers.find(([, form]) => form.test(text))?.[0];
  const system = systems.find(([, form]) => form.test(text))?.[0];
  if (browser === undefined || system === undefined) return browser ?? (system && `a browser on ${system}`);
  return `${browser} on ${system}`;
}

const charactersMax = 512;

type Words = readonly (readonly [words: string, form: RegExp])[];

const programs: Words = [
  ['command line', /^freehold-cli\b/],
  ['curl', /^curl\//],
  ['a program on Node', /^node(\.js|-fetch)?\b/],
  ['a program on Deno', /^Deno\//],
  ['a program on Bun', /^Bun\//],
  ['a program in Python', /^python-/],
  ['a program in Go', /^Go-http-client\//],
];

/** Each names those behind it too: Edge says that it is Chrome, and Chrome that it is Safari. */
const browsers: Words = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
  ['Safari', /\bVersion\/.*\bSafari\//],
];

/** Android says that it is Linux, and an iPhone that it is like Mac OS X. */
const systems: Words = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
