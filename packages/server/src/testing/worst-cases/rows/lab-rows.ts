/** The largest of what builders may ask about recorded calls. */
import { plantDecisions, removeDecisions } from '../largest/largest-decisions.ts';
import { statement } from '../largest/largest-policies.ts';
import type { Stage } from '../stage.ts';
import type { RequestOptions, Rows } from '../worst-case.ts';
import { json } from './requested-json.ts';

const statements = Array.from({ length: 50 }, (_, index) => statement(index));

/** The largest request over as much as is ever recorded. */
const recorded = (request: (stage: Stage) => RequestOptions) => async (stage: Stage) => {
  await plantDecisions(stage);
  return request(stage);
};

export const labRows: Rows = {
  'POST /acl/replay': {
    tidy: removeDecisions,
    largest: [
      {
        what: 'statements of a draft, over some of a full record',
        ask: recorded(({ restricted }) =>
          json({ tenant_code: 'main', draft: { statements }, principals: [restricted.id], limit: 150 }),
        ),
      },
      {
        what: 'statements of a draft, over a full record',
        ask: recorded(({ restricted }) =>
          json({ tenant_code: 'main', draft: { statements }, principals: [restricted.id] }),
        ),
      },
    ],
  },
  'GET /acl/suggest': {
    tidy: removeDecisions,
    target: ({ restricted }) => `/acl/suggest?tenant_code=main&user_id=${restricted.id}`,
    largest: [
      {
        what: 'policies of a member, over a full record',
        ask: recorded(({ restricted }) => ({ target: `/acl/suggest?tenant_code=main&user_id=${restricted.id}` })),
      },
    ],
  },
  'GET /acl/reported': {
    tidy: removeDecisions,
    target: () => '/acl/reported?tenant_code=main',
    largest: [
      {
        what: 'statements, over a full record',
        ask: recorded(() => ({ target: '/acl/reported?tenant_code=main&pagesize=50' })),
      },
    ],
  },
};
