import type { SettingType } from '../../config/port.ts';

export const escalationCheck: SettingType<boolean> = {
  key: 'acl.escalation_check',
  description: 'Whether what one grants has to be covered by what one holds.',
  byDefault: true,
  schema: { type: 'boolean' },
  parse: (input) => {
    if (typeof input === 'boolean') return { value: input };
    return { errors: [{ pointer: '', code: 'wrong_type', message: 'must be `true` or `false`' }] };
  },
  widens: (_before, after) => (after ? [] : ['people may grant what they do not hold themselves']),
};
