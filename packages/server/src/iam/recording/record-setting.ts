import { type SettingType, wrong } from '../../config/port.ts';

export const recordDecisions: SettingType<boolean> = {
  key: 'acl.record_decisions',
  description:
    'Whether samples of the decisions about calls are kept for seven days, so that a change of policies can be tried on them.',
  byDefault: true,
  schema: { type: 'boolean' },
  parse: (input) => (typeof input === 'boolean' ? { value: input } : wrong('must be `true` or `false`')),
};
