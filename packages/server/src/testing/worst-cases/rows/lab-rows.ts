/** The largest of what builders may ask about recorded calls. */
import { statement } from '../largest/largest-policies.ts';
import type { Rows } from '../worst-case.ts';
import { json } from './row-kinds.ts';

const statements = Array.from({ length: 50 }, (_, index) => statement(index));

export const labRows: Rows = {
  'POST /acl/replay': {
    as: 'builder',
    target: () => '/acl/replay',
    largest: [
      {
        what: 'statements of a draft',
        ask: ({ restricted }) => json({ tenant_code: 'main', draft: { statements }, principals: [restricted.id] }),
      },
    ],
  },
  'GET /acl/suggest': {
    as: 'builder',
    target: ({ restricted }) => `/acl/suggest?tenant_code=main&user_id=${restricted.id}`,
    largest: [
      {
        what: 'policies of a member',
        ask: ({ restricted }) => ({ target: `/acl/suggest?tenant_code=main&user_id=${restricted.id}` }),
      },
    ],
  },
  'GET /acl/reported': {
    as: 'builder',
    target: () => '/acl/reported?tenant_code=main',
    largest: [{ what: 'statements', ask: () => ({ target: '/acl/reported?tenant_code=main&pagesize=50' }) }],
  },
};
