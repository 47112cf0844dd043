import type { providersApi } from '@freehold/contract/management/settings/providers';
import type { BodyOf } from '@freehold/contract/route';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type DiscoveredProvider, type DiscoveryDeps, discoverProvider } from '../oidc/discover-provider.ts';
import { createFetchJson } from '../oidc/fetch-json.ts';
import { createProviderTokens, defaultLimits } from '../oidc/provider-tokens.ts';
import type { OrgContext } from '../workspaces/workspace-head.ts';
import { type SignInTrialDeps, type SignInVerdict, trySignIn } from './sign-in-trial.ts';

/** What a builder finds out about a provider before an app trusts it. Nothing of it is stored. */
export interface ProviderTrials {
  /** @throws Problem `validation_failed` at `/issuer`, `rate_limited`. */
  discover(orgCode: string, issuer: string): Promise<DiscoveredProvider>;
  /** @throws Problem `validation_failed`, `rate_limited`. */
  test(context: OrgContext, trial: BodyOf<typeof providersApi.testSignIn>): Promise<SignInVerdict>;
}

export interface ProviderTrialDeps extends Omit<SignInTrialDeps, 'discovery' | 'fetching' | 'tokens'> {
  readonly clock: Clock;
  /** In development providers on this machine are called, and by plain http; in production public ones by https. */
  readonly allowPrivateAddresses: boolean;
}

/** Calls to providers that one org waits for at a time. */
const trialsMax = 4;

export function createProviderTrials({ clock, allowPrivateAddresses, ...deps }: ProviderTrialDeps): ProviderTrials {
  const { providersMax, ...limits } = defaultLimits;
  const fetching = { ...limits, allowPrivateAddresses };
  const discovery: DiscoveryDeps = {
    fetchJson: createFetchJson(fetching),
    isDevelopment: allowPrivateAddresses,
    timeoutMilliseconds: limits.timeoutMilliseconds,
  };
  const inShare = createShare();
  return {
    discover: (orgCode, issuer) => inShare(orgCode, () => discoverProvider(discovery, issuer)),
    test: (context, trial) =>
      inShare(context.orgCode, () => {
        const tokens = createProviderTokens({ clock, allowPrivateAddresses, limits: { providersMax: 1 } });
        return trySignIn({ ...deps, discovery, fetching, tokens }, context, trial);
      }),
  };
}

/** A provider that answers slowly holds calls open: an org has a few of them at a time, so that others are not held up. */
function createShare() {
  const underWay = new Map<string, number>();
  return async <Result>(orgCode: string, work: () => Promise<Result>): Promise<Result> => {
    const count = underWay.get(orgCode) ?? 0;
    if (count >= trialsMax)
      throw new Problem('rate_limited', `at most ${trialsMax} providers are asked for an org at a time: try again`, {
        retry_after_seconds: 5,
      });
    underWay.set(orgCode, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(orgCode) ?? 1) - 1;
      if (left === 0) underWay.delete(orgCode);
      else underWay.set(orgCode, left);
    }
  };
}
