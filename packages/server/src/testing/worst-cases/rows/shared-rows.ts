/** The routes that all gateways have, and those of the address for metrics. */

import type { Rows } from '../worst-case.ts';
import { nothingAsked } from './reasons.ts';

const plain = (target: string) => ({ as: 'anyone', target: () => target, largest: nothingAsked }) as const;

export const sharedRows: Rows = {
  'GET /healthz': plain('/healthz'),
  'GET /readyz': plain('/readyz'),
  'GET /problems/:code': plain('/problems/not_found'),
};

export const metricsRows: Rows = { ...sharedRows, 'GET /metrics': plain('/metrics') };
