import { controls, spaces } from '@freehold/contract/characters';
import type { SettingType } from '../../config/port.ts';
import { wrong } from '../../config/port.ts';
import { isLocal } from './allowed-domains.ts';

const charactersMax = 500;
/** The same for schemas. */
const pattern = `^https?://[^?#@\\\\${controls}${spaces}]+$`;
const form = /^https?:\/\/[^?#@\\\s\p{Cc}]+$/u;

export const appUrl: SettingType<string | null> = {
  key: 'auth.app_url',
  description:
    'The address of the app’s own page that links in mails and invitations lead to; `null` takes the first of `auth.allowed_domains`. `localhost`, `127.0.0.1` and `[::1]` count in production only from `prod_value`.',
  byDefault: null,
  schema: { anyOf: [{ type: 'string', maxLength: charactersMax, pattern }, { type: 'null' }] },
  parse: (input) => {
    if (input === null) return { value: null };
    const isUrl = typeof input === 'string' && input.length <= charactersMax && form.test(input);
    const url = isUrl ? URL.parse(input) : null;
    if (url === null)
      return wrong('must be an address such as `https://app.example.com/start`, without query or fragment, or `null`');
    return { value: url.href };
  },
  inProduction: (url) => (url !== null && isLocal(new URL(url).origin) ? null : url),
  widens: (_before, after) => {
    const page = after === null ? 'the first of `auth.allowed_domains`' : `\`${after}\``;
    return [`links in mails, with the codes that they carry, lead to ${page}`];
  },
};
