import type { policyLabApi } from '@freehold/contract/management/lab/policy-lab';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import { Problem } from '../../lib/problem.ts';
import type { LabDeps } from './lab-deps.ts';
import { type AskedReplay, replay } from './replay.ts';
import { listReported } from './reported.ts';
import { suggest } from './suggest.ts';

/** What recorded calls say of policies. */
export interface PolicyLab {
  /** @throws Problem `not_found`; `rate_limited` while another replay of the org is under way. */
  replay(orgCode: string, asked: AskedReplay): Promise<ReplyOf<typeof policyLabApi.replayAccess>>;
  /** @throws Problem `not_found`. */
  suggest(
    orgCode: string,
    asked: QueryOf<typeof policyLabApi.suggestPolicy>,
  ): Promise<ReplyOf<typeof policyLabApi.suggestPolicy>>;
  /** @throws Problem `not_found`, `invalid_cursor`. */
  reported(
    orgCode: string,
    asked: QueryOf<typeof policyLabApi.listReported>,
  ): Promise<ReplyOf<typeof policyLabApi.listReported>>;
}

export function createPolicyLab(deps: LabDeps): PolicyLab {
  /** The orgs that replay or ask for a suggestion. */
  const busy = new Set<string>();
  const alone = async <Answer>(orgCode: string, what: string, work: () => Promise<Answer>): Promise<Answer> => {
    if (busy.has(orgCode))
      throw new Problem(
        'rate_limited',
        `another replay or suggestion of this org is under way: ask for ${what} when it has ended`,
      );
    busy.add(orgCode);
    try {
      return await work();
    } finally {
      busy.delete(orgCode);
    }
  };
  return {
    replay: (orgCode, asked) => alone(orgCode, 'this one', () => replay(deps, orgCode, asked)),
    suggest: (orgCode, asked) => alone(orgCode, 'this one', () => suggest(deps, orgCode, asked)),
    reported: (orgCode, asked) => listReported(deps, orgCode, asked),
  };
}
