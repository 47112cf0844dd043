import type { IncomingMessage } from 'node:http';
import { Problem } from '../../../lib/problem.ts';

/**
 * Why a call does nothing that names another org than its credentials belong to. A browser has one session for all of its
 * tabs, so a tab cannot know by itself that another one has switched the org.
 */
export function orgMismatch({ headersDistinct }: IncomingMessage, orgCode: string): Problem | undefined {
  const expected = headersDistinct['x-org'];
  if (expected === undefined || (expected.length === 1 && expected[0] === orgCode)) return undefined;
  return new Problem('org_mismatch', `the session belongs to the org \`${orgCode}\`, and the call expects another`);
}
