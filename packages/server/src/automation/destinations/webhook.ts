import { timestamp } from '../../lib/clock.ts';
import { type CallRules, whyNeverCalled } from '../../lib/network/guarded-request.ts';
import { type SendDeps, send } from '../../work/send.ts';
import { type ChainHeader, chainHeaderName } from '../chain-header.ts';
import type { Delivery, Destination } from './destination.ts';

export interface WebhookDeps extends SendDeps {
  /** Those of the request. */
  readonly rules: CallRules;
  readonly chain: Pick<ChainHeader, 'write'>;
}

const timeoutMilliseconds = 15_000;

/** Sends the write. */
export function webhookDestination(deps: WebhookDeps): Destination<'webhook'> {
  return {
    deliver: async (delivery, keys) => {
      const { url, headers } = delivery.content.destination_config;
      const never = whyNeverCalled(url, deps.rules);
      // It would be so at each further attempt.
      if (never !== undefined) return { state: 'refused', status: null, ms: 0, answer: never };
      const { id, depth } = delivery.item;
      return send(deps, {
        ...{ url, id, body: bodyOf(delivery), keys: await keys(), timeoutMilliseconds, isAnswerRead: true },
        headers: { ...headers, [chainHeaderName]: deps.chain.write(depth, deps.now()) },
      });
    },
  };
}

function bodyOf({ item: { entity, op, at, isTest }, record, before }: Delivery): string {
  const data = before === undefined ? { record } : { record, before };
  return JSON.stringify({ type: `${entity}.${op}`, timestamp: timestamp(at), data, ...(isTest && { test: true }) });
}
