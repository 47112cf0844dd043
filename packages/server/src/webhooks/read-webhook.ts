import { AddressRefused, type CallRules, callableUrl } from '../lib/guarded-request.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { invalidBody } from '../lib/problem.ts';

export const urlLengthMax = 2048;

/** Reads `{url}`. @throws Problem `validation_failed`, `unknown_field`. */
export function readWebhook(input: unknown, rules: CallRules): { readonly url: string } {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw wrong('', 'wrong_type', 'the body is a JSON object');
  const { url, ...others } = input as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw wrong(pointerTo(unknown), 'unknown_field', `unknown member \`${unknown.slice(0, 100)}\``);
  if (typeof url !== 'string' || url.length > urlLengthMax)
    throw wrong('/url', 'wrong_type', `\`url\` must be a text of at most ${urlLengthMax} characters`);
  const { username, password, hash } = checked(url, rules);
  if (username + password + hash !== '' || url.endsWith('#'))
    throw wrong('/url', 'invalid_value', '`url` must hold no name, no password and no fragment');
  return { url };
}

function checked(url: string, rules: CallRules): URL {
  try {
    return callableUrl(url, rules);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    const form = rules.isDevelopment ? 'an https or http address' : 'an https address';
    throw wrong('/url', 'invalid_value', `\`url\` must be ${form} of the public Internet: ${error.message}`);
  }
}

function wrong(pointer: string, code: string, message: string) {
  return invalidBody([{ pointer, code, message }]);
}
