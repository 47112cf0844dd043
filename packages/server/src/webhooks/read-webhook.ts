import { AddressRefused, type CallRules, callableUrl } from '../lib/network/guarded-request.ts';
import { invalidBody } from '../lib/problem.ts';

/** @throws Problem `validation_failed` where the platform may not call the address. */
export function readWebhook({ url }: { readonly url: string }, rules: CallRules): { readonly url: string } {
  const { username, password, hash } = checked(url, rules);
  if (username + password + hash !== '' || url.endsWith('#'))
    throw wrong('/url', 'invalid_value', '`url` must not contain a user name, a password or a fragment');
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
