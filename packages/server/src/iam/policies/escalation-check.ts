import type { SettingType } from '../../config/port.ts';

export const escalationCheck: SettingType<boolean> = {
  key: 'acl.escalation_check',
  description: 'Whether callers may grant only permissions that their own policies cover.',
  byDefault: true,
  schema: { type: 'boolean' },
  parse: (input) => {
    if (typeof input === 'boolean') return { value: input };
    return { errors: [{ pointer: '', code: 'wrong_type', message: 'must be `true` or `false`' }] };
  },
  widens: (_before, after) => (after ? [] : ['callers may grant permissions that they do not hold']),
};
