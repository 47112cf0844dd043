import { hostPattern } from '@freehold/contract/management/secrets';
import type { InputError } from '@freehold/contract/problem';
import type { SettingType } from '../../config/port.ts';
import { wrong } from '../../config/port.ts';

const hostsMax = 50;
const charactersMax = 253;

/** The hosts that steps of logic blocks may call. */
export const httpHosts: SettingType<readonly string[]> = {
  key: 'automation.http_hosts',
  description:
    'The hosts that `http` steps of logic blocks may call, such as `api.example.com`, or `*.example.com` for all hosts below it. Blocks call no other host.',
  byDefault: [],
  schema: {
    type: 'array',
    maxItems: hostsMax,
    items: { type: 'string', maxLength: charactersMax, pattern: hostPattern.source },
  },
  parse: (input) => {
    if (!Array.isArray(input) || input.length > hostsMax) return wrong(`must be an array of at most ${hostsMax} hosts`);
    const errors = input.flatMap((host: unknown, index): readonly InputError[] =>
      isHost(host) ? [] : wrong(expected, `/${index}`, 'invalid_host').errors,
    );
    return errors.length > 0 ? { errors } : { value: [...new Set(input.filter(isHost))] };
  },
  widens: (before, after) =>
    after.filter((host) => !before.includes(host)).map((host) => `logic blocks may call \`${host}\``),
};

const expected =
  'must be a host in lower case, such as `api.example.com` or `*.example.com`, without scheme, port and path';

function isHost(input: unknown): input is string {
  return typeof input === 'string' && input.length <= charactersMax && hostPattern.test(input);
}
