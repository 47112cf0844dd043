import { BoundedMap } from '../lib/bounded-map.ts';
import { Problem } from '../lib/problem.ts';

const parametersMax = 64;
const none: ReadonlyMap<string, string> = new Map();

/** Apps ask the same things again and again: the short ones are taken apart once. */
const known = new BoundedMap<string, ReadonlyMap<string, string>>(1000);
const knownCharactersMax = 200;

/** The parameters of a query string, each at most once (`+` is a space); the same map for the same short text. @throws Problem `invalid_request`. */
export function readQuery(query: string): ReadonlyMap<string, string> {
  if (query === '') return none;
  if (query.length > knownCharactersMax) return takeApart(query);
  const before = known.get(query);
  if (before !== undefined) return before;
  const parameters = takeApart(query);
  known.set(query, parameters);
  return parameters;
}

function takeApart(query: string): ReadonlyMap<string, string> {
  // Node hands on other bytes one by one as Latin-1, so what was meant is lost.
  if (!/^[\x21-\x7e]*$/.test(query)) throw new Problem('invalid_request', 'the query string is not percent-encoded');
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (parameters.has(name))
      throw new Problem('invalid_request', `the parameter \`${name.slice(0, 100)}\` is given twice`);
    if (parameters.size >= parametersMax)
      throw new Problem('invalid_request', `a query takes at most ${parametersMax} parameters`);
    parameters.set(name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new Problem('invalid_request', 'the query string is not valid percent-encoded UTF-8', {}, cause);
  }
  if (decoded.includes('\0')) throw new Problem('invalid_request', 'the query string contains the character U+0000');
  return decoded;
}

/** @throws Problem `invalid_request` for a parameter that the route does not take. */
export function refuseParameters(query: ReadonlyMap<string, string>, taken: readonly string[] = []): void {
  for (const name of query.keys())
    if (!taken.includes(name)) throw new Problem('invalid_request', `unknown parameter \`${name.slice(0, 100)}\``);
}
