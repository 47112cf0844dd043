import { queryClient } from '../../api/query-client.ts';
import type { PolicyDraft } from '../policies/policy-draft.ts';

/** A member who would hold a new policy. */
export interface Principal {
  readonly id: string;
  readonly email: string;
}

export interface KeptDraft {
  readonly draft: PolicyDraft;
  readonly principals: readonly Principal[];
}

export interface DraftPlace {
  readonly org: string;
  readonly env: string;
  readonly workspace: string;
  /** The id of the policy that the draft takes the place of; `new` for a policy that is not stored. */
  readonly policy: string;
}

/** While the page is open and the user is signed in: a look at another screen loses nothing of a draft. */
export function keepDraft(place: DraftPlace, kept: KeptDraft): void {
  queryClient.setQueryDefaults([keptKey], { gcTime: Number.POSITIVE_INFINITY });
  queryClient.setQueryData(keyOf(place), kept);
}

export function keptDraft(place: DraftPlace): KeptDraft | undefined {
  return queryClient.getQueryData<KeptDraft>(keyOf(place));
}

export function forgetDraft(place: DraftPlace): void {
  queryClient.removeQueries({ queryKey: keyOf(place), exact: true });
}

const keptKey = 'policy lab';

function keyOf({ org, env, workspace, policy }: DraftPlace) {
  return [keptKey, org, env, workspace, policy];
}
